"""What every clinical case can hold, whatever the condition: layouts, and what is said of the patient."""

# Each layout is its paragraphs, and each paragraph the parts that stand in it.
LAYOUTS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("header",), ("history", "finding"), ("course", "discharge", "contact")),
    (("header",), ("history title", "history", "finding"), ("course title", "course", "advice", "discharge")),
    (("header",), ("history", "finding", "course"), ("advice", "discharge", "contact")),
    (("letter",), ("history", "finding"), ("course", "advice", "discharge")),
    (("letter", "history"), ("finding", "course", "discharge"), ("advice", "contact")),
    (("history", "registration"), ("finding", "course", "discharge"), ("advice", "contact")),
    (("registration", "history", "finding"), ("course", "advice", "discharge", "contact")),
    (("history title", "history"), ("finding", "registration"), ("course title", "course", "discharge")),
)

HISTORY_TITLES = ("History:", "HISTORY:", "Presentation:", "Reason for admission:", "Hx:", "Story:")
COURSE_TITLES = ("Course:", "COURSE:", "Outcome:", "In hospital:", "Tx:", "Treatment and plan:")

POOLS: dict[str, tuple[str, ...]] = {
    "smoker": ("a smoker", "a former smoker", "never a smoker"),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
}

HEADERS = (
    "Patient: {PATIENT}\nMRN: {MRN}\nBorn: {BIRTH_DATE}\nAdmitted: {ADMISSION_DATE}, {HOSPITAL}",
    "{HOSPITAL}\nName: {PATIENT}\nDate of birth: {BIRTH_DATE}\nRecord: {MRN}",
    "DISCHARGE SUMMARY {condition}\n{PATIENT}, {MRN}\nAttending: {CLINICIAN}\nIn: {ADMISSION_DATE}",
    "{PATIENT} ({BIRTH_DATE})\n{STREET}, {TOWN}\nInsurance {INSURANCE_ID}\nDiagnosis: {condition}",
    "Record no. {MRN} / {HOSPITAL}\nPATIENT {PATIENT}, {STREET}, {TOWN}\nTel. {PHONE}",
    "Name {PATIENT} | DOB {BIRTH_DATE} | MRN {MRN}\nPolicy {INSURANCE_ID} | Phone {PHONE}",
    "{ADMISSION_DATE}, {HOSPITAL}, {TOWN}\nRe: {PATIENT}, born {BIRTH_DATE}\nPolicy no. {INSURANCE_ID}",
    "Case of {CLINICIAN}: {condition}\nPatient {PATIENT}, record {MRN}\nHome: {STREET}, {TOWN}",
    "Ward {2-14}, {HOSPITAL}\n{PATIENT}\nE-mail: {EMAIL}\nRecord: {MRN}",
    "Diagnosis: {condition}\nIn the name of: {PATIENT}\nPayer: {INSURANCE_ID}\nRecord: {MRN}",
)

LETTERS = (
    "Dear Dr {CLINICIAN}, I report on {PATIENT}, record {MRN}, of {STREET}, {TOWN}.",
    "{TOWN}, {DISCHARGE_DATE}. To Dr {CLINICIAN}: {PATIENT}, born {BIRTH_DATE}, has left our ward.",
    "To whom it may concern at {HOSPITAL}: this is about {PATIENT} ({MRN}), insured as {INSURANCE_ID}.",
    "Dear colleague, thank you for sending {PATIENT} of {TOWN}, born {BIRTH_DATE}, to {HOSPITAL}.",
    "From {HOSPITAL} to the practice in {TOWN}: news of {PATIENT}, telephone {PHONE}, MRN {MRN}.",
    "Dr {CLINICIAN} asked me to write about {PATIENT}, {STREET}, {TOWN}, policy {INSURANCE_ID}.",
    "I saw {PATIENT} ({BIRTH_DATE}, {EMAIL}) together with Dr {CLINICIAN} at {HOSPITAL}.",
    "Please file this under {MRN}: {PATIENT}, {STREET}, {TOWN}, seen by Dr {CLINICIAN}.",
)

REGISTRATIONS = (
    "The record number is {MRN} and the insurance number {INSURANCE_ID}.",
    "Home address: {STREET}, {TOWN}; telephone {PHONE}.",
    "Born on {BIRTH_DATE}, {PATIENT.last} lives at {STREET} in {TOWN}.",
    "{PATIENT.last} is on file as {MRN}, with {EMAIL} for letters.",
    "Registered under {MRN}; date of birth {BIRTH_DATE}; payer {INSURANCE_ID}.",
    "On the wristband: {PATIENT}, {BIRTH_DATE}, {MRN}.",
    "{CLINICIAN} took the history; the file is {MRN}, the policy {INSURANCE_ID}.",
    "{PATIENT} gave {PHONE} and {STREET}, {TOWN}, as contact.",
)

# Each history is completed by a complaint.
HISTORIES = (
    "{PATIENT}, aged {AGE}, was brought to {HOSPITAL} on {ADMISSION_DATE} with",
    "On {ADMISSION_DATE} {PATIENT} ({AGE} years, {smoker}) came in with",
    "{PATIENT}, {AGE}, of {TOWN}, had called the night line with",
    "Dr {CLINICIAN} admitted {PATIENT}, {AGE} years old, on {ADMISSION_DATE} with",
    "At the age of {AGE}, {PATIENT} walked into {HOSPITAL} with",
    "The practice in {TOWN} sent {PATIENT} ({AGE}) to us on {ADMISSION_DATE} with",
    "{HOSPITAL} received {PATIENT}, age {AGE}, from {TOWN} with",
    "{PATIENT}, {smoker} of {AGE} years, was seen by {CLINICIAN} with",
    "A neighbour from {STREET} drove {PATIENT}, {AGE}, to {HOSPITAL} with",
    "Known to {CLINICIAN} since {1998-2012}, {PATIENT} ({AGE}) returned on {ADMISSION_DATE} with",
    "During a visit to {TOWN} on {ADMISSION_DATE}, {PATIENT}, {AGE}, fell ill with",
    "{PATIENT} is {AGE} and was taken in on {ADMISSION_DATE} with",
)

DISCHARGES = (
    "{PATIENT.last} went home on {DISCHARGE_DATE}.",
    "Dr {CLINICIAN.last} signed the discharge on {DISCHARGE_DATE}.",
    "Discharged on {DISCHARGE_DATE} to {STREET}, {TOWN}.",
    "On {DISCHARGE_DATE} {PATIENT.last} left {HOSPITAL} {on foot|in good spirits|by taxi}.",
    "{PATIENT.last} was well on {DISCHARGE_DATE} and thanked {CLINICIAN}.",
    "Stay: {ADMISSION_DATE} to {DISCHARGE_DATE}, under {CLINICIAN}.",
    "By {DISCHARGE_DATE} nothing kept {PATIENT.last} in bed any longer.",
    "{CLINICIAN} saw {PATIENT.last} once more on {DISCHARGE_DATE} and agreed to the journey home.",
    "{PATIENT.last} left on {DISCHARGE_DATE}; {CLINICIAN.last} has the images.",
    "The bill to {INSURANCE_ID} closes on {DISCHARGE_DATE}.",
)

CONTACTS = (
    "Results will be sent to {EMAIL}.",
    "We can reach {PATIENT.last} on {PHONE}.",
    "Questions to Dr {CLINICIAN}, please, and appointments by {PHONE}.",
    "A nurse will ring {PHONE} on {weekday}.",
    "The {invoice|form} goes to {INSURANCE_ID}, a copy to {EMAIL}.",
    "{PATIENT.last} prefers {EMAIL} to the telephone.",
    "The next visit to {CLINICIAN} is on {weekday}; confirm with {PHONE}.",
    "Signed, {CLINICIAN}, {HOSPITAL}.",
    "Letters go to {STREET}, {TOWN}.",
    "Filed as {MRN} by {CLINICIAN}.",
)

# fmt: off
HOSPITAL_NAMES = (
    "Alderwood", "Brightwater", "Cedarcross", "Eastbrook", "Fairlight", "Greenholm", "Highmoor",
    "Ironbridge", "Juniper", "Kestrel", "Longacre", "Maplewood", "Northgate", "Oldfield", "Priory",
    "Queensway", "Redcliff", "Southmere", "Thornhill", "Upland", "Valley", "Westhaven", "Yarrow",
    "Meadowbank", "Lakeside", "Stonehouse", "Millbrook", "Rivermouth", "Whitestone",
)
# fmt: on
HOSPITAL_KINDS = (
    "Hospital",
    "General Hospital",
    "Clinic",
    "Infirmary",
    "Medical Center",
    "District Hospital",
)
