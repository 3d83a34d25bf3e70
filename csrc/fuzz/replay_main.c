/* A fuzz target without a fuzzer: runs it over files, and over the files of folders. Any compiler will do.
 *
 *     fuzz_header FILE-OR-FOLDER...
 *
 * Each input is named before it runs: when the program ends early, the last name is the culprit. */
#define _DEFAULT_SOURCE /* dirent, stat */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "input.h"

#define LONGEST_PATH 4096

static void refuse(const char *path)
{
    perror(path);
    exit(2);
}

/* The bytes get an allocation of exactly their length: a sanitizer then sees the first byte read behind them. */
static void replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size != 0 ? size : 1);
    if (file == NULL || bytes == NULL || fread(bytes, 1, size, file) != size) {
        refuse(path);
    }
    fclose(file);
    printf("%s\n", path);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
}

static unsigned long replay(const char *path)
{
    unsigned long count = 0;
    struct stat about;
    if (stat(path, &about) != 0) {
        refuse(path);
    }
    if (!S_ISDIR(about.st_mode)) {
        replay_file(path, (size_t)about.st_size);
        return 1;
    }
    DIR *folder = opendir(path);
    if (folder == NULL) {
        refuse(path);
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inside[LONGEST_PATH];
        if (entry->d_name[0] == '.') {
            continue;
        }
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= (int)sizeof inside) {
            refuse(path);
        }
        count += replay(inside);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (int i = 1; i < argc; i++) {
        count += replay(argv[i]);
    }
    printf("replayed: %lu inputs\n", count);
    return 0;
}
