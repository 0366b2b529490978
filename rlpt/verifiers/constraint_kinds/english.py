"""English words that the rules of texts know."""

# ruff: noqa: SIM905 -- lists of words read better as text.

from __future__ import annotations

FUNCTION_WORDS = frozenset(
    "a about after all also always am an and another any are as at be because been before being between both but by "
    "can could did do does during each even every few for from had has have he her here him his how i if in into is it "
    "its just many may me might more most much must my never no not now of often on one only or other our out over own "
    "she should since so some such than that the their them then there these they this those through to too under "
    "until up us very was we well were what when where which while who why will with without would you your".split()
)
"""Words that any English sentence is held together by."""

ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs e.g i.e cf approx no vol dept est fig u.s u.k a.m p.m inc ltd co gen col sgt capt "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
"""Written with a full stop that ends no sentence."""
