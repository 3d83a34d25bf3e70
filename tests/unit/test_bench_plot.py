"""`--plot`: a picture of the ratios that people can read and that does not change by itself."""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from nnrp_wire.bench import __main__ as command
from nnrp_wire.bench import plot
from nnrp_wire.bench.runner import Result

ENVIRONMENT = {"implementation": "CPython", "python": "3.11.7", "cpu": "a cpu"}
RESULTS = [
    Result("parse_header", "ns", 50.0, "lower", {"struct": 200.0, "nnrp_py": 5000.0}),
    Result("frame_submit_1k_fields", "ns", 50.0, "lower", {"struct": 20.0}),
    Result("scan", "packets/s", 90.0, "higher", {"struct_loop": 2.0}),
    Result("large_payload", "bytes", 1.0, "lower", {"copy": 1e6}),
    Result("import_ms", "ms", 30.0, "lower"),
]


def words(svg: bytes) -> str:
    return " ".join("".join(element.itertext()) for element in ElementTree.fromstring(svg).iter())


class TestPicture:
    @pytest.fixture(autouse=True)
    def matplotlib(self) -> None:
        pytest.importorskip("matplotlib", reason="needs the extra bench")

    def test_every_ratio_stands_in_it_as_text(self) -> None:
        text = words(plot.picture(RESULTS, ENVIRONMENT))
        for part in ("parse_header", "struct 4.00x", "nnrp_py 100x", "struct 0.40x", "struct_loop 45.0x", "a cpu"):
            assert part in text
        assert "large_payload" not in text, "our own other way is no rival"
        assert "import_ms" not in text

    def test_the_same_figures_give_the_same_file(self) -> None:
        first = plot.picture(RESULTS, ENVIRONMENT)
        assert plot.picture(RESULTS, ENVIRONMENT) == first
        assert not re.search(rb"\d{4}-\d\d-\d\dT", first), "no date"

    def test_no_rivals_no_picture(self) -> None:
        with pytest.raises(plot.NoPlot, match="no case that was run has a rival"):
            plot.picture(RESULTS[3:], ENVIRONMENT)

    def test_command(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "ratios.svg"
        assert command.main(["--quick", "--rounds", "2", "--case", "iter_packets", "--plot", str(file)]) == 0
        assert "struct_loop" in words(file.read_bytes())
        assert "iter_packets" in capsys.readouterr().out

    def test_command_without_anything_to_draw(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "ratios.svg"
        assert command.main(["--quick", "--case", "large_payload", "--plot", str(file)]) == 1
        assert "error: no case that was run has a rival" in capsys.readouterr().err
        assert not file.exists()

    def test_a_missing_folder_is_found_before_measuring(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            command.main(["--plot", "/no/such/directory/f.svg"])
        assert "no directory /no/such/directory to write f.svg in" in capsys.readouterr().err


def test_without_matplotlib_the_command_says_so_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError("No module named 'matplotlib'")
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert command.main(["--plot", str(tmp_path / "f.svg")]) == 1
    captured = capsys.readouterr()
    assert "pip install nnrp-wire[bench]" in captured.err
    assert captured.out == ""
