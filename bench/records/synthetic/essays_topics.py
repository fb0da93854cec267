"""What students say on each topic."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """What can be said on one topic; each example names a person."""

    openings: tuple[str, ...]
    arguments: tuple[str, ...]
    examples: tuple[str, ...]
    endings: tuple[str, ...]


TOPICS = (
    # Uniforms
    Topic(
        (
            "Every {season} the same quarrel about uniforms begins again.",
            "A {grey|blue|green} jacket does not make anybody {smarter|kinder|more equal}.",
            "Uniforms are {cheap|dull|fair|ugly}, and that is the point of them.",
            "I have worn the same tie for {2-6} years, so I may speak about uniforms.",
        ),
        (
            "With uniforms, nobody can {see|guess|ask} what a family {earns|can pay}.",
            "Clothes are a {language|game|mask}, and a uniform takes {half|most} of the words away.",
            "I {think} that choosing a shirt each morning teaches {more|less} than adults suppose.",
            "The shop charges {20-95} dollars for a skirt that {tears|fades|shrinks} within {2-9} weeks.",
        ),
        (
            "My neighbour {FRIEND} {painted|sewed|hid} a small {fox|star|comet} inside the collar.",
            "When {FRIEND} came in {red|yellow|purple} shoes, {3-30} of us wore them the next day.",
            "{FRIEND} wore the {jacket|jumper} of a {relative} and {nobody|everybody} noticed.",
            "At the exchange, {FRIEND} traded {2-5} {shirts|ties} for one that {fitted|still had buttons}.",
            "Once {FRIEND} was sent home over {white|striped} socks and missed a {maths|music} test.",
        ),
        (
            "Let each class vote, and let the vote hold for {one|two|three} years.",
            "I would keep the {shirt|colours} and throw away the {tie|blazer|hat}.",
            "A rule that needs {4-12} pages to explain is not a rule about clothes.",
            "Give us a {lighter|warmer|cheaper} uniform and the quarrel will {end|sleep}.",
        ),
    ),
    # Homework
    Topic(
        (
            "Homework {often} begins when I am already {tired|hungry|half asleep}.",
            "I counted: last month I spent {18-60} hours on homework.",
            "There are two kinds of homework, {the short and the useless|the kind I do and the kind I copy}.",
            "Nobody {loves|misses} homework, yet I want to defend {a little|half} of it.",
        ),
        (
            "{10-40} minutes of practice fix a rule better than {2-3} hours of copying.",
            "A task helps only if someone {reads|returns|talks about} it before {weekday}.",
            "Pupils with a {quiet|warm} room win twice, since {noise|cold} costs marks.",
            "I {think} the {last|first} problem on a sheet teaches more than the {8-20} others.",
        ),
        (
            "{FRIEND} does {fractions|verbs|maps} on the bus, with the paper on one knee.",
            "In our kitchen {FRIEND} and I finished {3-9} {sheets|pages} while the {soup|rice} burned.",
            "{FRIEND} works at a {bakery|garage|market stall} until {7-10} and writes after that.",
            "For a week {FRIEND} did {none|only half} of it and got {the same|a better} mark.",
            "I explained {algebra|photosynthesis|the comma} to {FRIEND}, and only then I understood it.",
        ),
        (
            "Give us less, read all of it, and {weekday} will be a better day.",
            "One {good|hard|honest} question is enough for an evening.",
            "I ask for {two|three} free evenings a week, not for {five|six}.",
            "If it is worth {setting|marking}, it is worth {doing|explaining} well.",
        ),
    ),
    # Phones in class
    Topic(
        (
            "Since the {season} our phones sleep in a {wooden|metal|plastic} box by the door.",
            "A phone on the desk is like a {puppy|drum|window} that nobody can ignore.",
            "The ban on phones has {surprised|bored|annoyed} me, but not as I expected.",
            "My phone buzzed {12-90} times during one lesson on {rivers|Rome|enzymes}.",
        ),
        (
            "What we lose is {music at lunch|a clock}; what we gain is {talk|quiet|eye contact}.",
            "A ban trains {obedience|patience}, while a rule we made ourselves trains {judgement|trust}.",
            "I {think} that boredom is {useful|healthy}, and phones {kill|steal} it first.",
            "For {3-15} minutes after each message the mind is still {elsewhere|in the pocket}.",
        ),
        (
            "{FRIEND} now plays {chess|cards|dominoes} with me in the break, and {wins|cheats} a lot.",
            "The day {FRIEND} needed to ring home about a sick {relative}, the box was locked.",
            "{FRIEND} recorded {birds|rain|the choir} for biology on a phone, and it was our best lesson.",
            "Without a screen, {FRIEND} drew {40-200} tiny {ships|horses|faces} in one notebook.",
            "I saw {FRIEND} reach for an empty pocket {5-25} times in {one hour|one lesson}.",
        ),
        (
            "Keep the box, but open it on {weekday} and at {noon|lunch}.",
            "The question is not the {phone|box}; it is who holds {the key|our attention}.",
            "I would rather {learn|practise} to leave it off than be {told|made} to.",
            "In {5-10} years we will {laugh|wonder} that this was a question.",
        ),
    ),
    # Learning an instrument
    Topic(
        (
            "For {2-7} years I have played the {cello|trumpet|accordion|clarinet}, {badly|slowly|happily}.",
            "The first note I ever played sounded like a {goose|door|kettle}.",
            "Everyone should learn {one instrument|to read notes}, even {late|badly}.",
            "Music came to me through {a broken radio|a borrowed flute|the wall of our flat}.",
        ),
        (
            "Practice shows you that {ten|twenty} slow minutes beat {one|two} angry hours.",
            "In an orchestra you {listen|wait|count} more than you play, which is {rare|good} training.",
            "I {think} a wrong note in public is the {cheapest|quickest} lesson in {courage|humour}.",
            "Fingers {remember|forget} what the head {forgets|remembers}, and both need {sleep|time}.",
        ),
        (
            "{FRIEND} and I learned a {waltz|march|tango} of {24-96} bars for a {wedding|birthday}.",
            "When the {string|reed|pedal} broke, {FRIEND} hummed the rest and people {clapped|cried}.",
            "{FRIEND} sold a {bicycle|guitar|game} to pay for {6-20} lessons with an old {organist|drummer}.",
            "Each {weekday} {FRIEND} plays for the {neighbours|dog|plants}, who never complain.",
            "My {relative} gave {FRIEND} a {violin|banjo} that had been silent for {11-40} years.",
        ),
        (
            "I will never be {famous|perfect}, and I {sleep|play} better for knowing it.",
            "Put {one|a} piano in the hall and leave it {unlocked|open}.",
            "What stays is the {minute|silence} after the last {note|chord}.",
            "If you can {hum|whistle}, you have already {begun|started}.",
        ),
    ),
    # The school garden
    Topic(
        (
            "Behind the gym there are {4-16} beds of earth, and they changed my {year|mind}.",
            "I had never held a {worm|spade|seedling} before last {season}.",
            "A garden is a {slow|stubborn|generous} teacher.",
            "Our garden grows {beans|pumpkins|onions}, {nettles|thistles} and arguments.",
        ),
        (
            "Plants {punish|forgive} nothing that you {postpone|forget}, so you learn to {plan|look}.",
            "Food that you {water|weed} yourself is not {wasted|left on the plate}.",
            "I {think} {biology|science} should smell of {mint|compost|tomato leaves} now and then.",
            "Shared work in {rain|mud} makes {better|odder} friends than any {game|trip}.",
        ),
        (
            "{FRIEND} saved our {cucumbers|lettuces} from {slugs|frost} with {eggshells|old curtains}.",
            "In {May|June|July} {FRIEND} and I picked {2-19} {kilos|baskets} of {peas|berries}.",
            "{FRIEND} planted {garlic|tulips} upside down, and {some|most} of them came up anyway.",
            "A {hedgehog|toad|robin} moved in, and {FRIEND} named it after the {caretaker|bus driver}.",
            "When the pump failed, {FRIEND} carried {20-60} buckets from the {river|canteen}.",
        ),
        (
            "Next {season} we want {bees|a pond|an apple tree}.",
            "Every school has {a roof|some grass} that is doing nothing.",
            "I eat {beetroot|spinach|radishes} now, which proves everything.",
            "Dig {one|the first} bed, and the rest will {follow|grow}.",
        ),
    ),
    # Team sport
    Topic(
        (
            "We lost {5-14} games in a row, and it was my favourite {season}.",
            "I joined the {handball|rowing|hockey|volleyball} team because {it rained|a friend begged me}.",
            "Sport is {often} praised for the wrong reasons.",
            "On the pitch I am {slow|small|clumsy}, and still I am needed.",
        ),
        (
            "A team needs someone who {passes|waits|shouts} more than someone who {scores|shines}.",
            "Losing together {hurts|weighs} less, and you {learn|talk} more on the bus home.",
            "I {think} that training at {6-7} in the morning is where {habits|friendships} are made.",
            "The body learns {balance|rhythm} from drills, and the temper learns it from {referees|defeat}.",
        ),
        (
            "{FRIEND} missed the {penalty|last throw}, and {nobody|not one of us} said a word.",
            "In the {third|final} match {FRIEND} carried our {goalkeeper|captain} off the field.",
            "{FRIEND} keeps {lemons|plasters|dry socks} in a tin for all {7-15} of us.",
            "When {FRIEND} broke a {thumb|toe}, we {played|lost} with {five|six|nine} and {sang|laughed}.",
            "It was {FRIEND} who taught me to {fall|breathe|serve} without {fear|thinking}.",
        ),
        (
            "The cup went to {others|the other side}; the {mud|memory} is ours.",
            "Cut the {trophies|speeches}, but keep the {bus|team}.",
            "I run {because of|for} the {others|people}, not the {medal|score}.",
            "Whoever is {bad|slow} at sport should {play|try} it most.",
        ),
    ),
    # The library
    Topic(
        (
            "The library {closes|may close} at {4-6} now, and half the {street|town} is poorer for it.",
            "I learned to {read|be quiet|wait} in a room with {brown|squeaking} shelves.",
            "A library is the last warm room where you need not {buy|order} anything.",
            "They want to replace {1-9} thousand books with {tablets|lockers|desks}.",
        ),
        (
            "Search engines {give|sell} you what you asked for; shelves {offer|show} what you did not.",
            "For some of us it is the only {desk|printer|silence} within {2-6} miles.",
            "I {think} that {borrowing|lending} teaches care: the next reader is {a stranger|waiting}.",
            "A good librarian {knows|remembers} {names|tastes} better than any {program|list}.",
        ),
        (
            "There {FRIEND} found a {letter|ticket|pressed leaf} in a book about {whales|bridges|clocks}.",
            "{FRIEND} reads {comics|atlases|poems} to the {small ones|children} on {weekday}.",
            "While it {snowed|stormed}, {FRIEND} and I stayed {3-7} hours among the {maps|novels}.",
            "My {relative} taught {FRIEND} to read there, at the {round|long} table by the window.",
            "{FRIEND} owes {2-30} dollars for a book on {owls|knots|volcanoes}, and still visits.",
        ),
        (
            "Close {a road|a parking lot}, but leave us the library.",
            "{Two|Three} more evening hours would cost less than {a bench|one lamp post}.",
            "A card made of {paper|plastic} was my first {passport|key}.",
            "I shall return everything, {even|except} the {feeling|quiet}.",
        ),
    ),
    # Waste and recycling
    Topic(
        (
            "Our canteen throws away {15-80} kilos of food a week; I {weighed|measured} it.",
            "Recycling is {easy|comfortable}, and that is why we {overrate|like} it.",
            "I followed one {bottle|carton|can} for {3-12} days.",
            "There are {five|six|seven} bins in our hall, and {nobody|no one} can tell them apart.",
        ),
        (
            "The best waste is the kind that nobody {made|bought|wrapped}.",
            "A {deposit|fee} of {5-25} cents changes more minds than {ten|a hundred} posters.",
            "I {think} repair should be a {subject|lesson}, between {art|woodwork} and {physics|cooking}.",
            "People sort well when {bins|signs} are {clear|close}, and badly when {scolded|watched}.",
        ),
        (
            "{FRIEND} mended {4-22} {chairs|lamps|zips} with {glue|wire} and a film from the internet.",
            "Last {season} {FRIEND} built a {sledge|shelf|kennel} from {crates|old doors}.",
            "{FRIEND} and I emptied {3-9} bins onto a {sheet|floor} and {sorted|counted} all of it.",
            "{FRIEND} carries a {dented|yellow} cup everywhere, and is {teased|copied} for it.",
            "The {relative} of {FRIEND} drives the lorry, and says that {glass|paper} is sorted twice.",
        ),
        (
            "Start with the {lids|straws|trays}, and {count|weigh} again in a month.",
            "We do not need {more bins|new bins}; we need {less|fewer things} to put in.",
            "A repaired {chair|kettle} is the best poster there is.",
            "Weigh it {yourself|once}, and you will not {forget|waste} so much.",
        ),
    ),
    # A first job
    Topic(
        (
            "I earned my first {30-95} dollars by {washing pots|stacking boxes|walking dogs}.",
            "Adults say a job {steals|ruins} school; mine {saved|improved} it.",
            "At {five|six} in the morning a {bakery|market|stable} is the loudest place on earth.",
            "Work taught me {three|four} things that no lesson did.",
        ),
        (
            "Money that you {sweated|froze} for is {hard|strange} to spend on {sweets|games}.",
            "A {boss|customer} does not care why you are late, and that is {refreshing|fair}.",
            "I {think} {6-12} hours a week are {fine|enough}, and {15-25} are too many.",
            "You meet people of {all|every} {ages|kinds} and learn to {apologise|listen|count change}.",
        ),
        (
            "{FRIEND} dropped {12-48} eggs on the first day and was {kept|forgiven} all the same.",
            "With the wages {FRIEND} bought {boots|a drum|glasses} for a {relative}.",
            "A {driver|cook|florist} showed {FRIEND} how to {lift|carry} without hurting the back.",
            "{FRIEND} fell asleep in {history|chemistry} after a {late|double} shift, {twice|three times}.",
            "Together {FRIEND} and I sold {60-240} {pies|lanterns|umbrellas} in the rain.",
        ),
        (
            "Let us work a little, and {pay|trust} us properly.",
            "My {hands|shoes} are worse and my {marks|manners} better.",
            "I know now what a {loaf|coffee|haircut} costs in minutes.",
            "A {small|Saturday} job is a {big|quiet} school.",
        ),
    ),
    # Cooking
    Topic(
        (
            "The first {omelette|stew|pancake} I made was {black|raw|blue}.",
            "Cooking should be taught {like reading|before fractions}.",
            "My {relative} cooks without a {recipe|clock|spoon}, and so I {began|had} to watch.",
            "There is {chemistry|geography} in every {onion|pot}, if you look.",
        ),
        (
            "Whoever can cook {six|eight|ten} dishes {eats|saves|sleeps} better for life.",
            "A recipe is a {plan|promise} that lets you {fail|improvise} safely.",
            "I {think} people who {peel|stir} together {quarrel|lie} less.",
            "Ready meals cost {2-4} times as much and {taste|smell} of {cardboard|nothing}.",
        ),
        (
            "{FRIEND} put {salt|chilli|soap} in the {custard|dough} and we {ate|sold} it anyway.",
            "For {14-60} guests {FRIEND} and I made {dumplings|lentils|noodles} in {one|a single} pan.",
            "{FRIEND} grows {basil|chives|peppers} on a sill and brings me {a leaf|a pot} each {weekday}.",
            "When the {power|gas} failed, {FRIEND} baked {bread|potatoes} over a {candle|campfire}.",
            "It took {FRIEND} {3-9} tries to flip a {crepe|fritter}, and one {lamp|ceiling}.",
        ),
        (
            "Bring back the {school|old} kitchen, with {knives|aprons} and all.",
            "Hunger is a good {start|spice}, and {patience|butter} a better one.",
            "Now I {cook for|feed} us on {weekday}, and no one has {died|left}.",
            "Taste first, then {talk|write}.",
        ),
    ),
    # Getting to school
    Topic(
        (
            "My way to school takes {25-70} minutes, {two|three} buses and {a bridge|a ferry}.",
            "I cycle {2-9} miles a day and know every {hole|dog|hill} on the road.",
            "The bus was late {11-40} times last {season}; I kept {a list|count}.",
            "Roads here were drawn for {cars|lorries}, not for {feet|children}.",
        ),
        (
            "A {safe|painted} lane costs less than {one|a single} set of traffic lights.",
            "Who arrives by {foot|bicycle} is {awake|warm} by the first bell.",
            "I {think} a bus every {8-20} minutes would free {parents|drivers} as much as pupils.",
            "Long ways are {unfair|tiring}, but they leave time to {read|dream|revise}.",
        ),
        (
            "{FRIEND} and I share one {bell|umbrella|helmet light}, and argue about the {pace|route}.",
            "A {van|taxi} clipped {FRIEND} at the {corner|crossing}; only the {wheel|basket} was hurt.",
            "{FRIEND} learned {70-300} {Spanish|Finnish|Latin} words on the {7|9|14} bus.",
            "In {fog|snow} {FRIEND} walked ahead with a {torch|whistle}, and {4-11} of us followed.",
            "The driver waits for {FRIEND}, who is {late|lost in thought} every {weekday}.",
        ),
        (
            "Paint the {line|lane} this {season}, and count us in the next.",
            "A town is only as {big|kind} as its {last|slowest} bus.",
            "I want a {pavement|shelter} more than a {stadium|fountain}.",
            "Come with me {once|one morning}, and bring {boots|patience}.",
        ),
    ),
    # Art and murals
    Topic(
        (
            "The wall behind the {bus stop|kitchen|bicycle shed} was grey for {9-40} years.",
            "I cannot draw {hands|horses|noses}, and that is how I came to love {colour|clay}.",
            "Art is {often} the first lesson to be {cut|cancelled} and the last to be {missed|forgotten}.",
            "We were given {6-20} litres of {orange|turquoise} paint, and no plan.",
        ),
        (
            "To draw a thing you must look {longer|slower} than is {polite|usual}.",
            "A picture {starts|settles} talks that {words|meetings} never could.",
            "I {think} a mistake in {ink|paint} is simply {a shape|an idea} you did not order.",
            "In art nobody {copies|cheats}, because {there is no key|each wall is different}.",
        ),
        (
            "{FRIEND} painted a {heron|whale|tractor} of {3-8} metres, standing on {a van|crates}.",
            "For the eyes {FRIEND} used {bottle tops|tiles|buttons} that a {relative} had {kept|found}.",
            "Rain washed half of it away, and {FRIEND} {cheered|began again|photographed the rest}.",
            "{FRIEND} modelled my {ear|head} in clay, and it {cracked|sold} in the {kiln|fair}.",
            "An old man stopped and told {FRIEND} the name of each {boat|tree|shop} we had {drawn|missed}.",
        ),
        (
            "Give every class one wall, and {a ladder|some rags}.",
            "It is {peeling|fading} already, and I like it {more|better} so.",
            "Grey is also a colour, but {we had enough|not the only one}.",
            "Whoever says {I cannot draw|it is only paint} should {come|try} on {weekday}.",
        ),
    ),
    # Volunteering
    Topic(
        (
            "Every {weekday} I spend {2-4} hours at the {animal shelter|food bank|care home}.",
            "I went to help, and came home {helped|ashamed|cheerful}.",
            "We had to volunteer for {10-40} hours; I stayed for {three|four} years.",
            "Helping is {harder|noisier} than it looks on posters.",
        ),
        (
            "Good will {needs|wants} a {timetable|rota}, or else the {same|tired} few do it all.",
            "You learn to ask {first|twice}, since {help|pity} that nobody wanted is {a burden|no help}.",
            "I {think} service should be {offered|praised}, and never {forced|counted} in hours.",
            "Old people {know|tell} {jokes|recipes} that are found in no {book|search}.",
        ),
        (
            "{FRIEND} reads the {weather|football|news} to a {retired|blind} {pilot|tailor} each week.",
            "A three-legged {cat|goat} follows {FRIEND} from {bowl|door} to {bowl|gate}.",
            "We packed {80-400} {boxes|parcels} with {FRIEND}, and put {a joke|a drawing} in each.",
            "{FRIEND} lost {5-18} games of {draughts|rummy} to a lady of {88-99}.",
            "When the {boiler|freezer} stopped, {FRIEND} knocked on {20-70} doors for {blankets|ice}.",
        ),
        (
            "Try {one|a single} afternoon; take {gloves|biscuits}.",
            "The certificate is in a drawer, the {cat|song} is not.",
            "It {costs|takes} little, and it is {never|hardly} boring.",
            "Nobody there {asked|cares} for my marks.",
        ),
    ),
    # Sleep
    Topic(
        (
            "School starts at {7|8}, and my brain at {nine|ten}.",
            "I slept {5-7} hours a night for {a year|months} and called it {normal|discipline}.",
            "Of {20-31} pupils in our first lesson, {3-12} are {really|fully} awake.",
            "Let me speak for the {owls|late risers} among us.",
        ),
        (
            "Young people {fall asleep|tire} later; it is {biology|the body}, not {laziness|spite}.",
            "A later bell helps {marks|moods} and {costs|needs} only a new {timetable|bus plan}.",
            "I {think} the lamp of a {screen|phone} at {11|12} is the real {alarm|thief}.",
            "Sleep is when the day is {filed|sorted|written down}, and we keep {cutting|skipping} it.",
        ),
        (
            "{FRIEND} once {salted|buttered} a {pencil case|ticket} at breakfast.",
            "For {two|three} weeks {FRIEND} slept {8-9} hours, and the {stammer|headache|temper} went.",
            "{FRIEND} sets {4-11} alarms, and a {relative} switches off {each|every one}.",
            "In {maths|geography} {FRIEND} dreamed of {lions|escalators} and answered in {rhyme|whispers}.",
            "My bed is by the {railway|bakery}, like that of {FRIEND}, so we {yawn|wake} together.",
        ),
        (
            "Move the bell by {30-60} minutes and {watch|measure}.",
            "Rest is not the {enemy|opposite} of work.",
            "I will argue this {better|again} after {ten|eleven} o'clock.",
            "Good night is {sound|serious} advice.",
        ),
    ),
)
