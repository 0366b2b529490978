"""Common English words whose syllables the rules of spelling get wrong, and those that are said in two ways.

Facts of pronunciation, from the Carnegie Mellon Pronouncing Dictionary.
"""

# ruff: noqa: SIM905 -- lists of words read better as text.

from __future__ import annotations

_BY_COUNT = {
    1: (
        "cheque drawer hague isle isles jacques juan league leagues liu mosque plague plaque prague priest quinn "
        "rogue tongue torque vague vogue"
    ),
    2: (
        "acne acre acres agnes ahmed aires alfred andre antique antiques averaged baseball bauer belgium berkeley "
        "beyond boredom boutique bracelet brilliant bryan bryant business cafe carlisle carriage cashier catholic "
        "catholics cement centre centres chaos chile chloe chocolate choir coleman colleague colleagues colonel "
        "creature creatures critique crooked cushion dante debuted diamond diamonds diaper driveway dryer duel "
        "evening evenings facebook farewell fashion fashioned fatigue fibre fired fireworks fluent fluid fluids "
        "flyer flyers forecast forecasts forefront forehead foreman foremost fueled fuels gameplay gateway genius "
        "genre genres geo georgetown giant giants gimme glacier gloucester guinea guinness hatred headaches hired "
        "homemade homestead hometown household households hundred ibn intrigued jaime jared jesse joanne joel joey "
        "jorge jose julia julius kiev kobe kuala layout leah leicester leonard leopard lifelong lifestyle likewise "
        "limestone linkedin lion lions livestock lois louis louise loyal luis lyon lyons marriage maya maybe mayo "
        "mayor mccain mccoy mckay mclean metre metres milestone minecraft monte myers naive naked ngos nike nineteen "
        "nineteenth ninety noah noel notebook notre oneself opera penguin penguins people peoples persuade pierre "
        "pinterest playoff playoffs premier rely royal royals rugged ryan sacred safeguard safety salesman savior "
        "science shakespeare sidewalk sideways soldier soldiers somehow somewhat sonia sophomore sovereign "
        "spacecraft spokesman statesman statewide suarez technique techniques theorem therefore thereof tire tired "
        "tires torres trademark tumblr tyres unique vaguely visuals voyage wednesday wholesale wholesome wicked "
        "widespread william williams worcester wyatt xavier xbox zoe"
    ),
    3: (
        "achilles acquire acquired admired adobe albeit alien aliens amelia andrea andreas angeles anime anyone "
        "apache ariel atheist attire australia australian australians averages averaging basically beautifully "
        "beforehand behavior behaviors behaviour betrayal beverages beyonce brazilian brilliantly businesses "
        "businessman businessmen carefully caretaker catalogue cereal chaotic civilian civilians coincide "
        "convenience convenient crimea croatia damien decorative deity desire desired desires dialogue diego "
        "drastically ecuador eliot elliot elliott empire employee employees entire everyday everything everytime "
        "everywhere expires familiar fiery finale forecasting gabriel garcia happier happiest hawaii hercules heroic "
        "heroin heroine homecoming homeowners hopefully horsepower ikea imagery influence influenced infrared "
        "inspired intriguing italian italians jeopardy joanna karate kardashian lafayette libya likelihood lineage "
        "linear lionel loneliness louisville loyalty makeover marriages massacre mccarthy mccartney mcconnell "
        "mcdonald mcgregor mclaren mercedes messiah mohamed mohammed montgomery montreal moreover mosaic museum "
        "museums naomi nausea niagara noteworthy nuclear nucleus oasis parliament payable peacefully peculiar "
        "persuaded philippe picturesque pneumonia policeman policemen portrayal quietly radically rafael ratio "
        "ratios recipe recipes reinforce reinforced resilient reunion rosemary royalty rwanda salisbury satire "
        "sciences scientist seattle sesame shareholder shareholders sierra socio sovereignty spokesperson "
        "stakeholders suicide takeover theater theaters theatre theatres tokyo toyota tuition twentieth uniquely "
        "valuable vegetable vegetables vertically vienna vietnam virginia visually watershed whoever williamson "
        "wyoming zimbabwe"
    ),
    4: (
        "aforementioned aluminium antonio appreciate apprenticeship arguably associate associates behavioral "
        "california caribbean catastrophe coalition coincidence complementary constituent constituents coordinate "
        "coordinates dementia diabetes diarrhea dietary edinburgh emotionally enjoyable enthusiast enthusiasts "
        "entirely european europeans everybody experienced genetically geographic geography geology geometric "
        "geometry inconvenience inconvenient influences influencing influential influenza initiative initiatives "
        "intuition intuitive invaluable ironically kilometres laboratories laboratory marijuana mediocre "
        "nevertheless oriental oriented pennsylvania petroleum portfolio realization reinforcements retirement "
        "reunited santiago scientific societal societies specifically spontaneous suicidal theatrical unfamiliar "
        "unrealistic unreasonable valencia varieties veterinary vietnamese whatsoever"
    ),
    5: (
        "appreciated associated automatically bibliography christianity constituency continuity cooperative "
        "coordinated coordinating coordination coordinator economically enthusiasm enthusiastic experiencing "
        "geographical geological inexperienced judiciary louisiana minneapolis orientation parliamentary physiology "
        "proprietary radioactive simultaneous sociology systematically"
    ),
    6: ("beneficiaries ecclesiastical mediterranean physiological simultaneously"),
    7: ("confidentiality"),
}

SYLLABLES = {word: count for count, words in _BY_COUNT.items() for word in words.split()}
"""Syllables of words that are no rule's."""

EITHER = frozenset(
    (
        "actual actually additional additionally aged average bachelor barbara beloved boundaries boundary cabinet "
        "camera cameras casual casualties catherine chancellor charles comparable conference conferences continually "
        "cooperation corporate counseling coverage covering critically cruel current cycling deliberate deliberately "
        "desirable desperate desperately dial diary difference differences different differently discovery doctrine "
        "dramatically dual elaborate elementary enabling especially eventually every extraordinary families family "
        "favorable favorite favorites federal fine fire firearms fires firing flour foreigners frederick fuel "
        "gambling general generally gradually graham grocery hampshire handling happening hire historically history "
        "hour hours individually inspiring interest interested interesting interests interim internationally ireland "
        "israel ivory jewelry julian katherine korea korean learned leverage listening literally located machinery "
        "maintenance margaret miles mineral minerals miserable modeling national nationalist nationally nationals "
        "natural naturally nicholas normally occasionally offering offerings opposite originally orleans our ours "
        "ourselves partially personally physically platinum practically prayer prayers preference preferences "
        "prisoner prisoners privilege probably rational reasonable recovery reference references remembering require "
        "required requires requiring restaurant restaurants resume retire retired scientists separate separately "
        "settling several simpler sour specially spring springs struggling stuart suffering technically temperature "
        "temperatures theories theory threatening toward towards towel traditionally travelers traveling travelling "
        "trial trials trying typically unusual usually veteran veterans victories victory violent violet virtually "
        "warrior warriors wire wires wrestling"
    ).split()
)
"""Words with one syllable more or less, as one says them."""
