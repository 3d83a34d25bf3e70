"""Measuring nnrp-wire against its rivals: ``python -m nnrp_wire.bench``.

The method (interleaved rounds, checked results, one clock for all) is described in ``benchmarks/README.md``.
"""
