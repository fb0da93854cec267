"""What every essay can hold, whatever its topic: layouts, and what students say about themselves."""

# Each layout is its paragraphs, and each paragraph the parts that stand in it.
LAYOUTS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("intro", "contact", "opening"), ("argument", "example"), ("ending", "closing")),
    (("intro", "opening"), ("contact", "argument", "example"), ("ending", "closing")),
    (("header",), ("contact", "opening", "argument"), ("example", "ending")),
    (("header",), ("opening", "contact", "argument"), ("example", "ending", "closing")),
    (("opening", "intro"), ("contact", "argument"), ("example", "ending")),
    (("opening", "argument", "intro"), ("example", "contact", "ending", "closing")),
)

POOLS: dict[str, tuple[str, ...]] = {
    "relative": (
        "mother",
        "father",
        "aunt",
        "uncle",
        "grandmother",
        "grandfather",
        "cousin",
        "sister",
        "brother",
    ),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "season": ("spring", "summer", "autumn", "winter"),
    "often": ("often", "sometimes", "usually", "almost always"),
    "think": ("believe", "think", "am sure", "am convinced"),
}

INTROS = (
    "My name is {STUDENT} and I am in grade {7-12} at {SCHOOL} in {TOWN}.",
    "I am {STUDENT}, I go to {SCHOOL}, and {TOWN} has been my home for {3-14} years.",
    "I, {STUDENT}, wrote this for {TEACHER} at {SCHOOL} on {DATE}.",
    "On {DATE} our teacher {TEACHER} asked all of us at {SCHOOL} for an essay; this one is by {STUDENT}.",
    "People in {TOWN} know me as {STUDENT}, the {tall|quiet|loud|new} one from {SCHOOL}.",
    "Since we moved to {STREET} in {TOWN}, I, {STUDENT}, have gone to {SCHOOL}.",
    "{TEACHER} teaches us at {SCHOOL}, and I ({STUDENT}) sit in the {first|second|third|last} row.",
    "This is {STUDENT} from {TOWN}, writing on {DATE} for the class of {TEACHER}.",
    "As {STUDENT}, student {STUDENT_ID} of {SCHOOL}, I can only speak for {TOWN}.",
    "I live at {STREET}, {TOWN}, my name is {STUDENT}, and today is {DATE}.",
    "At {SCHOOL} I am number {STUDENT_ID}, but at home in {TOWN} I am just {STUDENT}.",
    "When {TEACHER} gave us this task on {DATE}, I, {STUDENT}, had {2-9} ideas at once.",
)

HEADERS = (
    "{STUDENT}\n{SCHOOL}, {TOWN}\n{DATE}",
    "Name: {STUDENT}\nStudent number: {STUDENT_ID}\nSchool: {SCHOOL}\nDate: {DATE}",
    "Author: {STUDENT}\nTeacher: {TEACHER}\nHanded in: {DATE}, {SCHOOL}",
    "{DATE}\nTo: {TEACHER}, {SCHOOL}\nFrom: {STUDENT}, {STREET}, {TOWN}",
    "Essay by {STUDENT}, no. {STUDENT_ID}\nClass of {TEACHER}, {SCHOOL}, {DATE}",
    "{SCHOOL} / {TEACHER} / {DATE}\n{STUDENT}, {TOWN}",
    "{TOWN}, {DATE}\nWritten by {STUDENT} ({STUDENT_ID}) for {TEACHER}",
    "Student: {STUDENT}, {STUDENT_ID}\nAddress: {STREET}, {TOWN}\nDate: {DATE}",
    "English, grade {7-12}\n{STUDENT}, {SCHOOL}\nReader: {TEACHER}",
    "{STUDENT}\n{STREET}\n{TOWN}\n{DATE}",
)

CONTACTS = (
    "My address for letters is {EMAIL}, and my number is {PHONE}.",
    "You can reach me at {EMAIL}.",
    "Please call {PHONE} if a page is missing.",
    "On the class forum I am {USERNAME}, and my pages are at {URL}.",
    "I keep my drafts at {URL}.",
    "Comments can go to {EMAIL} or to {USERNAME} on the school board.",
    "My phone is {PHONE} and my student number is {STUDENT_ID}.",
    "Anyone who disagrees may write to {EMAIL}.",
    "Our home is {STREET}, the telephone {PHONE}.",
    "Look for {USERNAME} if you want to read more of me.",
    "Send the marks to {EMAIL}; my number is {STUDENT_ID}.",
    "I post as {USERNAME}, and I answer on {PHONE} after {4-8} o'clock.",
    "The pictures for this are at {URL}, or ask me at {EMAIL}.",
    "Post reaches me at {STREET}, faster at {EMAIL}.",
)

CLOSINGS = (
    "Thank you for reading, {STUDENT.first}.",
    "So says {STUDENT.last}, at least until {weekday}.",
    "{TEACHER} may mark me down, but I will not change it.",
    "Signed: {STUDENT}.",
    "I read this aloud to {FRIEND.first}, who {nodded|laughed|agreed|frowned}.",
    "I hope {TEACHER} sees it the same way.",
    "That is the whole opinion of {STUDENT}.",
    "{FRIEND.first} checked my spelling, so blame us both.",
    "Ask {TEACHER} or {FRIEND.first}, they will say the same.",
    "Yours, {STUDENT}, still of {TOWN}.",
)

# fmt: off
SCHOOL_NAMES = (
    "Larkfield", "Stonebrook", "Amberley", "Hollowell", "Fernhurst", "Greywater", "Northmere",
    "Quillhaven", "Brackenhall", "Windmere", "Oakendale", "Silverbeck", "Thornbury", "Eastmarch",
    "Cloverhill", "Ravensgate", "Millhaven", "Duncroft", "Saltmarsh", "Birchwood", "Harrowgate",
    "Linden", "Copperfield", "Marlow", "Westering", "Ashgrove", "Kingsford", "Pinecrest",
    "Rosehall", "Tidewater",
)
# fmt: on
SCHOOL_KINDS = (
    "High School",
    "Middle School",
    "Academy",
    "School",
    "College",
    "Secondary School",
    "Day School",
)
WEB_DOMAINS = ("example", "example.org", "pages.example")
