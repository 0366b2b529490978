"""Closed lists of English words that the counting kinds know."""

# ruff: noqa: SIM905 -- lists of words read better as text.

from __future__ import annotations

NAMES = frozenset(
    (
        "Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin "
        "Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan "
        "Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph "
        "Claire Ryan Stella Jonathan"
    ).split()
)
"""The names that the prompts of `count:person_names` list (IFBench, arXiv:2507.02833)."""

PERSONAL = frozenset(
    (
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her "
        "hers herself it its itself they them their theirs themselves themself one's oneself thou thee thy thine"
    ).split()
)
"""Personal, possessive and reflexive pronouns."""

PRONOUNS = PERSONAL | frozenset(
    (
        "who whom whose whoever whomever someone somebody something anyone anybody anything everyone everybody "
        "everything nobody nothing none"
    ).split()
)
"""Words that are pronouns wherever they stand. `this`, `that`, `which` and `one` are often none, so are left out."""

SUBJECTS = frozenset("i we you he she it they there this that these those who everyone nobody".split())
"""Words that a clause starts with."""

OPENERS = frozenset(
    "a an the my your his her its our their this that these those some any each every all no another both".split()
)
"""Determiners: a noun follows."""

STOP_WORDS = frozenset(
    (
        "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers "
        "herself it its itself they them their theirs themselves what which who whom this that these those am is are "
        "was were be been being have has had having do does did doing a an the and but if or because as until while of "
        "at by for with about against between into through during before after above below to from up down in out on "
        "off over under again further then once here there when where why how all any both each few more most other "
        "some such no nor not only own same so than too very can will just should now s t d ll m o re ve y don ain "
        "aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren won wouldn don't "
        "aren't couldn't didn't doesn't hadn't hasn't haven't isn't mightn't mustn't needn't shan't shouldn't wasn't "
        "weren't won't wouldn't you're you've you'll you'd she's she'll she'd it's it'll it'd that'll should've he's "
        "he'll he'd i'm i've i'll i'd we're we've we'll we'd they're they've they'll they'd can't cannot"
    ).split()
)
"""The stop words of NLTK's English list, which the benchmark counts, with `can't` and `cannot`."""

AUXILIARIES = frozenset(
    (
        "am is are was were be been do does did doing have has had having can could should would shall might isn't "
        "aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't couldn't shouldn't wouldn't won't "
        "cannot"
    ).split()
)
"""Forms of be, do and have, and modal verbs; `will`, `may` and `must` are nouns as well."""

FINITE = AUXILIARIES - {"be", "been", "doing", "having"} | {"will", "may", "must"}
"""Verbs that a clause has one of."""

PREPOSITIONS = frozenset(
    (
        "about above across after against along among around as at before behind beyond by down for from in inside "
        "into like near off on onto out over past through to together toward towards under up upon using via with "
        "within without away back"
    ).split()
)
"""Words that follow a verb. `of` is none of them: it follows nouns."""
