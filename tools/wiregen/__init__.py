"""What lives here: the generator of everything that derives from schema/wire.json.

model reads and judges the table, rules compiles its checks, emit_* write the files. Run tools/generate_wire.py, never
these directly.
"""
