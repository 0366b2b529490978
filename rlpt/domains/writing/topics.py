"""Things to write about. Each line: the topic as a prompt says it | its word in a text | words that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

LINES = """
rain|rain|umbrella, garden, cloud, roof
snow|snow|winter, mountain, children, boots
the sea|sea|waves, ship, salt, beach
the moon|moon|night, light, sky, ocean
the sun|sun|morning, warm, summer, light
the wind|wind|leaves, kite, sail, trees
stars|stars|night, sky, telescope, wish
clouds|clouds|sky, shape, rain, white
thunder|thunder|storm, loud, lightning, window
fog|fog|road, morning, lamp, harbor
rivers|rivers|water, bridge, fish, valley
mountains|mountains|climb, snow, path, view
forests|forests|trees, birds, green, quiet
deserts|deserts|sand, hot, camel, water
islands|islands|ocean, boat, palm, quiet
caves|caves|dark, stone, bats, lamp
lakes|lakes|water, boat, calm, swim
waterfalls|waterfalls|rocks, loud, river, cold
volcanoes|volcanoes|fire, smoke, rock, island
beaches|beaches|sand, waves, summer, shells
spring|spring|flowers, rain, green, birds
summer|summer|hot, beach, long, holiday
autumn|autumn|leaves, red, wind, harvest
winter|winter|cold, snow, coat, fire
mornings|mornings|coffee, sun, birds, early
dogs|dogs|friend, bark, park, loyal
cats|cats|sleep, soft, mouse, window
horses|horses|run, field, strong, ride
cows|cows|milk, grass, farm, field
birds|birds|sing, nest, wings, tree
owls|owls|night, eyes, silent, hunt
bees|bees|honey, flowers, hive, busy
butterflies|butterflies|wings, garden, color, flower
ants|ants|small, strong, work, food
spiders|spiders|web, legs, corner, silent
whales|whales|ocean, big, song, deep
dolphins|dolphins|jump, sea, smart, play
sharks|sharks|teeth, ocean, fast, fear
elephants|elephants|big, memory, water, family
lions|lions|roar, pride, hunt, brave
tigers|tigers|stripes, jungle, quiet, strong
bears|bears|forest, honey, sleep, big
wolves|wolves|pack, moon, forest, hunt
foxes|foxes|red, clever, forest, tail
rabbits|rabbits|ears, carrot, jump, soft
turtles|turtles|slow, shell, sea, old
penguins|penguins|ice, swim, cold, walk
frogs|frogs|pond, jump, green, rain
snakes|snakes|grass, long, quiet, skin
chickens|chickens|eggs, farm, grain, early
apples|apples|tree, red, sweet, fresh
bananas|bananas|yellow, sweet, monkey, breakfast
oranges|oranges|juice, sweet, winter, fresh
lemons|lemons|sour, tea, yellow, fresh
grapes|grapes|wine, sweet, purple, vine
tomatoes|tomatoes|red, garden, soup, fresh
potatoes|potatoes|soup, farm, earth, dinner
carrots|carrots|orange, rabbit, garden, soup
onions|onions|cry, soup, kitchen, sharp
mushrooms|mushrooms|forest, soup, rain, careful
bread|bread|butter, oven, fresh, morning
cheese|cheese|milk, bread, taste, old
soup|soup|warm, bowl, winter, spoon
pizza|pizza|cheese, friends, oven, hot
chocolate|chocolate|sweet, gift, dark, milk
honey|honey|bees, sweet, tea, golden
coffee|coffee|morning, cup, friends, hot
tea|tea|cup, hot, friends, quiet
cake|cake|birthday, sweet, sugar, party
eggs|eggs|breakfast, chicken, kitchen, fresh
rice|rice|dinner, water, field, bowl
salad|salad|green, fresh, lunch, tomato
books|books|read, story, library, page
music|music|song, dance, happy, listen
dancing|dancing|music, happy, feet, friends
singing|singing|voice, song, happy, choir
painting|painting|color, brush, art, wall
poetry|poetry|words, feeling, read, quiet
films|films|story, screen, friends, night
photographs|photographs|memory, camera, light, family
guitars|guitars|music, string, song, play
pianos|pianos|music, keys, play, song
drums|drums|loud, music, beat, band
football|football|team, ball, goal, game
tennis|tennis|ball, court, game, fast
swimming|swimming|water, summer, pool, strong
running|running|shoes, morning, fast, park
cycling|cycling|road, wheel, hill, health
chess|chess|game, king, think, board
fishing|fishing|river, boat, quiet, patience
hiking|hiking|mountain, boots, path, view
camping|camping|tent, fire, forest, night
gardening|gardening|soil, flowers, water, spring
cooking|cooking|kitchen, dinner, taste, family
baking|baking|oven, bread, sweet, kitchen
knitting|knitting|wool, warm, winter, patience
sleeping|sleeping|night, bed, dream, rest
dreams|dreams|night, sleep, future, strange
friendship|friendship|trust, help, laugh, time
families|families|home, love, dinner, children
birthdays|birthdays|cake, party, gift, friends
holidays|holidays|travel, rest, family, beach
weddings|weddings|love, dance, family, ring
school|school|learn, teacher, friends, book
teachers|teachers|learn, class, help, patient
homework|homework|school, evening, learn, book
libraries|libraries|books, quiet, read, learn
museums|museums|history, art, visit, quiet
hospitals|hospitals|doctor, help, nurse, night
doctors|doctors|help, health, care, patient
farmers|farmers|field, work, harvest, early
firefighters|firefighters|fire, brave, help, truck
pilots|pilots|plane, sky, travel, careful
sailors|sailors|ship, sea, wind, harbor
markets|markets|fruit, people, fresh, buy
cities|cities|street, people, lights, busy
villages|villages|quiet, farm, people, small
streets|streets|people, cars, lights, walk
bridges|bridges|river, cross, stone, road
castles|castles|king, stone, old, hill
gardens|gardens|flowers, green, bees, water
parks|parks|trees, walk, children, bench
trains|trains|station, travel, window, fast
buses|buses|city, stop, driver, street
bicycles|bicycles|wheel, ride, road, health
cars|cars|road, fast, drive, wheel
airplanes|airplanes|sky, travel, fast, clouds
ships|ships|sea, harbor, travel, wind
rockets|rockets|space, fire, moon, fast
robots|robots|work, help, machine, future
computers|computers|work, school, fast, learn
telephones|telephones|call, friend, voice, talk
the internet|internet|learn, people, news, fast
newspapers|newspapers|read, news, morning, paper
letters|letters|write, friend, paper, wait
clocks|clocks|time, wall, hour, morning
mirrors|mirrors|face, light, wall, glass
candles|candles|light, dark, warm, night
umbrellas|umbrellas|rain, dry, open, street
shoes|shoes|walk, feet, new, run
hats|hats|head, sun, warm, wear
coats|coats|winter, warm, wear, cold
pillows|pillows|soft, sleep, head, bed
windows|windows|light, glass, open, view
doors|doors|open, key, house, wood
kitchens|kitchens|cook, family, warm, food
money|money|save, buy, work, bank
time|time|clock, wait, work, past
silence|silence|quiet, calm, night, listen
laughter|laughter|friends, happy, joke, loud
kindness|kindness|help, smile, people, heart
courage|courage|fear, brave, try, heart
patience|patience|wait, time, calm, learn
honesty|honesty|trust, truth, friends, words
curiosity|curiosity|learn, question, world, child
water|water|drink, life, river, clean
fire|fire|warm, light, wood, careful
trees|trees|leaves, birds, shade, green
flowers|flowers|garden, color, bees, spring
grass|grass|green, field, cows, soft
stones|stones|river, hard, old, wall
sand|sand|beach, desert, castle, warm
toys|toys|children, play, gift, happy
balloons|balloons|party, sky, color, air
kites|kites|wind, sky, string, child
"""


@dataclass(frozen=True, slots=True)
class Topic:
    """`name` is how a prompt says it ("the sea"), `word` what a text must contain, `related` words for constraints."""

    name: str
    word: str
    related: tuple[str, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        """The word in singular and plural, as far as English spelling rules give them for the words above."""
        word = self.word
        if word == "wolves":
            return (word, "wolf")
        if word.endswith("ies"):
            return (word, word[:-3] + "y")
        if word.endswith(("aches", "oxes", "toes", "noes", "buses")):
            return (word, word[:-2])
        if word.endswith("s") and not word.endswith(("ss", "is")):
            return (word, word[:-1])
        return (word,) if word.endswith(("s", "y", "ing")) else (word, word + "s")


@cache
def topics() -> tuple[Topic, ...]:
    """Every topic, in a fixed order."""
    return tuple(_parse(line) for line in LINES.strip().splitlines())


def _parse(line: str) -> Topic:
    name, word, related = line.split("|")
    return Topic(name, word, tuple(related.split(", ")))
