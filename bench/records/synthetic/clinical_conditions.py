"""What is said of each condition."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """What can be said of one condition; a complaint completes a sentence that ends in "with"."""

    name: str
    complaints: tuple[str, ...]
    findings: tuple[str, ...]
    courses: tuple[str, ...]
    advice: tuple[str, ...]


CONDITIONS = (
    Condition(
        "pneumonia",
        (
            "{two|three|five} days of fever and {rusty|green} sputum.",
            "a cough, shaking chills and pain on the {left|right} side when breathing in.",
            "breathlessness and a fever of 39.{1-8} that {paracetamol|rest} had not lowered.",
            "confusion and fast breathing after a {cold|week of flu}.",
        ),
        (
            "The film showed a shadow in the {left|right} {lower|upper} lobe; CRP {88-310}.",
            "Crackles at the {left|right} base, oxygen {86-93} % on air, white cells {13-24}.",
            "Dull to percussion over {two|three} ribs, pulse {96-128}, urea {7-14}.",
            "Sputum grew {pneumococci|Haemophilus|nothing}; saturation was {87-94} %.",
        ),
        (
            "{Amoxicillin|Ceftriaxone|Doxycycline} brought the fever down in {18-60} hours.",
            "Oxygen was needed for {1-4} days, and the drip for {2-5}.",
            "A small {effusion|fluid rim} was tapped: {120-650} ml, {clear|straw-coloured}, sterile.",
            "After {2-4} days of antibiotics by vein, tablets took over for {3-7} more.",
        ),
        (
            "A film in {5-8} weeks should show clear lungs.",
            "Vaccination is advised {this autumn|in a month}.",
            "Stairs are allowed, {swimming|smoking} is not.",
        ),
    ),
    Condition(
        "asthma attack",
        (
            "wheeze since {dawn|midnight}, after {cleaning an attic|a visit to a stable}.",
            "tightness of the chest that {6-20} puffs of salbutamol had not eased.",
            "an attack of asthma, the {second|third|fourth} this {year|winter}.",
            "a dry cough at night and words that came {singly|in gasps}.",
        ),
        (
            "Peak flow {130-240}, of a best of {380-520}; wheeze on both sides.",
            "The chest was {quiet|tight}, the pulse {108-136}, the gas showed a CO2 of {31-46}.",
            "Breaths {26-38} a minute with {shoulder|neck} muscles at work.",
            "Eosinophils {5-12} %, film clear, saturation {88-94} %.",
        ),
        (
            "{Three|Four|Five} nebulisers and {30-50} mg of prednisolone opened the airways.",
            "Magnesium by drip was given {once|at 2 in the morning}, and sleep followed.",
            "Peak flow rose to {320-460} within {2-4} days.",
            "The old inhaler was {empty|used upside down|out of date}; a spacer was taught.",
        ),
        (
            "Steroid tablets for {4-7} more days, then the brown inhaler {twice|once} a day.",
            "The {cat|feather pillow|carpet} should go.",
            "Keep a diary of peak flow until {spring|the next visit}.",
        ),
    ),
    Condition(
        "appendicitis",
        (
            "pain that had moved from the navel to the right within {8-30} hours.",
            "nausea, no appetite and pain in the right {groin|flank} on every {step|cough}.",
            "{one day|two days} of belly ache, first {dull|cramping}, then sharp.",
            "vomiting {after a picnic|since supper} and a belly that would not be touched.",
        ),
        (
            "Rebound on the right, white cells {12-21}, temperature 38.{0-7}.",
            "Ultrasound saw a tube of {8-14} mm that did not yield.",
            "CT showed a {swollen|thickened} appendix with {a stone|free fluid|no abscess}.",
            "Lifting the right leg hurt; CRP was {34-170}.",
        ),
        (
            "It was taken out through {three|two} small cuts in {28-75} minutes.",
            "The appendix was {inflamed|gangrenous|perforated} and came out {whole|in a bag}.",
            "Surgery the same {night|evening}; soup on the {first|second} day.",
            "A drain stayed for {1-3} days and gave {20-90} ml.",
        ),
        (
            "Stitches melt by themselves; no lifting above {4-8} kilos for {2-4} weeks.",
            "The wound may get wet after {48|72} hours.",
            "Fever or a red wound would be a reason to return.",
        ),
    ),
    Condition(
        "hip fracture",
        (
            "a painful, shortened leg after a fall {on ice|from a stool|in the bath}.",
            "the {left|right} hip broken, having tripped over a {rug|dog|kerb}.",
            "no strength to rise after {2-9} hours on the {kitchen|cellar} floor.",
            "pain in the groin since a {stumble|slip} on the {stairs|tram}.",
        ),
        (
            "The film showed a break of the {left|right} femoral neck, Garden {II|III|IV}.",
            "The leg lay turned outwards, {2-4} cm short; foot pulses were good.",
            "Haemoglobin {9-13}, sodium {129-144}, ECG without a {block|pause}.",
            "A {trochanteric|subcapital} fracture, and thin bone everywhere.",
        ),
        (
            "A {half prosthesis|nail|screw} was set {14-40} hours later in {spinal|general} anaesthesia.",
            "{One|Two} units of blood were given, and the frame came out on day {1-3}.",
            "Some confusion in the {first|second} night cleared with {glasses|daylight|company}.",
            "With a {frame|stick} it was {12-60} steps by day {4-7}.",
        ),
        (
            "Calcium, vitamin D and an infusion for the bones {every year|in six weeks} are planned.",
            "Thinner by injection for {28-35} days.",
            "A rail by the {bed|bath} has been ordered.",
        ),
    ),
    Condition(
        "atrial fibrillation",
        (
            "a heart that had stumbled since {breakfast|a dance|a long flight}.",
            "palpitations for {3-20} hours and a {light|swimming} head.",
            "an irregular pulse, found by {a watch|the optician|chance}.",
            "sudden tiredness and a flutter in the {throat|chest}.",
        ),
        (
            "ECG: fibrillation at {118-165}, no sign of infarction; TSH {0|1|2}.{1-9}.",
            "Echo: left atrium {41-52} mm, ejection fraction {45-62} %.",
            "Pressure {98-168} over {60-95}, potassium 3.{2-9}, troponin normal.",
            "The pulse was {chaotic|uneven}, the lungs clear, the ankles {slim|slightly swollen}.",
        ),
        (
            "Bisoprolol slowed it to {68-94}, and rhythm returned {by itself|overnight}.",
            "One shock of {100|120|150} joules under propofol restored the rhythm.",
            "An echo through the gullet found no clot, so {flecainide|amiodarone} was given.",
            "We left the rhythm alone and {apixaban|edoxaban} was begun.",
        ),
        (
            "The thinner must not be {forgotten|stopped}; a card was handed over.",
            "Less {wine|coffee}, more {walking|sleep}, a tape for {3-7} days in {May|October}.",
            "An ablation will be talked over in {6-12} weeks.",
        ),
    ),
    Condition(
        "heart failure",
        (
            "swollen legs, {3-9} kilos gained, and {three|four} pillows at night.",
            "breathlessness on the {first|second} flight of stairs.",
            "a rattling chest at {3|4|5} in the morning.",
            "shoes that no longer fitted and a cough when lying {flat|down}.",
        ),
        (
            "Pitting to the {knee|thigh}, neck veins full, NT-proBNP {1800-9400}.",
            "Ejection fraction {22-39} %, mitral valve {leaking|tight}, creatinine {98-190}.",
            "Film: a {large|broad} heart and fluid in {both bases|both angles|the right angle}.",
            "Third sound, pressure {94-122} over {58-76}, sodium {127-139}.",
        ),
        (
            "Furosemide moved {4-11} litres in {3-7} days.",
            "{Sacubitril|Spironolactone|Dapagliflozin} was added, in small steps.",
            "Weight fell from {84-99} to {71-83} kilos, and the pillows to {one|two}.",
            "A mask helped for {2-9} hours; after that, {salt|fluid} was counted.",
        ),
        (
            "Weigh every morning, and call at {two|three} kilos more.",
            "Fluid {1200-1800} ml a day, and no {soup cubes|crisps}.",
            "Kidney values again in {5-12} days.",
        ),
    ),
    Condition(
        "diabetic ketoacidosis",
        (
            "thirst, {vomiting|belly pain} and a breath that smelled of {apples|varnish}.",
            "sleepiness after {two|three} days without {insulin|the pump}.",
            "weight loss of {4-11} kilos and {6-14} trips to the toilet a night.",
            "deep breathing and sugar above {26-34} on the home meter.",
        ),
        (
            "pH 7.{10-24}, ketones {4-7}, glucose {24-41}, potassium 5.{0-8}.",
            "Dry tongue, pulse {112-138}, bicarbonate {6-14}, HbA1c {9-14} %.",
            "Anion gap {19-31}; urine {dark|clear} with ketones {three|four} plus.",
            "No fever; a {tooth abscess|broken pen|stomach bug} was found as the cause.",
        ),
        (
            "{5-8} litres of saline and insulin by pump closed the gap in {10-22} hours.",
            "Potassium was given at {10-20} mmol an hour, under {constant|close} watch.",
            "From day {2-3} {glargine|degludec}, {14-32} units, took over.",
            "The dietician came {twice|three times} and drew a {plate|clock} of meals.",
        ),
        (
            "Ketone strips are {in the bag|prescribed}, with rules for sick days.",
            "Eyes and feet to be checked by {June|November}.",
            "The sensor must be changed every {10|14} days.",
        ),
    ),
    Condition(
        "cellulitis",
        (
            "a hot, red {shin|forearm|calf} that had spread for {2-5} days.",
            "fever and a swollen foot after a {blister|thorn|tick bite}.",
            "a {left|right} leg twice its size and the {colour|heat} of a stove.",
            "shivers and a red line running up the {arm|leg}.",
        ),
        (
            "The edge was marked in ink at {14-33} cm; CRP {76-240}.",
            "Warm to the {knee|elbow}, no gas, no pus, white cells {11-19}.",
            "Athlete's foot between {two|four} toes was the {door|entry}.",
            "Ultrasound: no clot; blood cultures {negative|with streptococci}.",
        ),
        (
            "{Flucloxacillin|Cefazolin|Clindamycin} drew the red back by {3-9} cm in {2-3} days.",
            "The leg was raised on {two|three} cushions and wrapped from day {2-4}.",
            "A blister of {3-8} cm was opened and {dressed|cleaned} daily.",
            "Fever ended on day {2|3}, the itch on day {5|6}.",
        ),
        (
            "Cream between the toes for {3-5} weeks.",
            "Stockings of class {one|two}, put on before {breakfast|getting up}.",
            "{Gardening|Walking} in {gloves|boots} from now on.",
        ),
    ),
    Condition(
        "kidney infection",
        (
            "pain in the {left|right} flank, chills, and burning water.",
            "fever to 39.{2-9} and a back that hurt at a tap.",
            "{two|three} days of urgency, then {shaking|vomiting}.",
            "cloudy urine and an ache below the {left|right} ribs.",
        ),
        (
            "Urine: nitrite, {80-400} white cells; culture of {E. coli|Klebsiella|Proteus}.",
            "Ultrasound: the kidney {swollen|11 cm|12 cm}, no {stone|stasis}.",
            "Creatinine {88-176}, CRP {92-280}, pressure {92-118} systolic.",
            "Tender {loin|flank}, soft belly, lactate 1.{2-9}.",
        ),
        (
            "{Gentamicin|Ceftriaxone|Cefuroxime} for {2-4} days, then {ciprofloxacin|pivmecillinam}.",
            "{2-4} litres a day of {tea|water} and drip did the rest.",
            "A stent of {24|26} cm was placed past a {3-7} mm stone.",
            "Temperature fell on the {second|third} day, pain one day later.",
        ),
        (
            "Urine is to be tested again in {10-16} days.",
            "Drink before {thirst|noon} comes.",
            "The stent leaves in {2-5} weeks.",
        ),
    ),
    Condition(
        "gallstones",
        (
            "colic under the right ribs after {goose|fried eggs|cheese fondue}.",
            "pain into the right shoulder, {2-7} hours after a {wedding|meal}.",
            "yellow eyes, pale stools and {itching|nausea}.",
            "the {third|fifth} attack of upper belly pain since {March|August}.",
        ),
        (
            "Ultrasound: {3-20} stones and a wall of {4-8} mm.",
            "Bilirubin {38-140}, lipase {normal|slightly raised}, ALT {95-480}.",
            "A breath was cut short as the probe pressed; white cells {11-18}.",
            "A stone of {5-12} mm sat in the {duct|neck}.",
        ),
        (
            "The gallbladder was removed through {four|three} ports in {41-95} minutes.",
            "The duct was cleared with a {basket|balloon} from inside.",
            "{Piperacillin|Cefuroxime} first, surgery on day {2-4}.",
            "Broth on the first day, toast on the {second|third}.",
        ),
        (
            "Fat in small steps for {3-6} weeks.",
            "Histology is {awaited|benign}.",
            "Clips come out on {weekday}.",
        ),
    ),
    Condition(
        "stroke",
        (
            "a drooping {left|right} face and words that came out {wrong|slurred}.",
            "a weak {left|right} hand that dropped a {cup|razor|spoon}.",
            "half the view gone for {40-190} minutes.",
            "sudden dizziness and a leg that {dragged|gave way}.",
        ),
        (
            "NIHSS {3-12}; CT without blood; carotid narrowed by {40-85} %.",
            "MRI: a {4-19} mm lesion in the {left|right} {capsule|thalamus}.",
            "Pressure {168-212} over {88-110}, glucose {6-11}, LDL {3-5}.",
            "The arm sank within {3-8} seconds; sense of touch was {spared|dulled}.",
        ),
        (
            "Lysis began {52-190} minutes after the first sign.",
            "{Speech|Strength} was back by {half|two thirds} on day {3-6}.",
            "Swallowing was tested {twice|each day}; thick drinks for {2-5} days.",
            "{Aspirin and clopidogrel|Atorvastatin, 80 mg,} was started, and pressure tamed.",
        ),
        (
            "Rehabilitation of {3-6} weeks has been granted.",
            "No driving for {one month|three months}.",
            "The carotid will be operated on in {6-13} days.",
        ),
    ),
    Condition(
        "leg vein thrombosis",
        (
            "a tense {left|right} calf after {a flight|two weeks in plaster}.",
            "a swollen thigh and {pain|heaviness} on standing.",
            "leg pain for {3-8} days, taken for a {strain|cramp}.",
            "a bluish leg, {3-6} cm thicker than the other.",
        ),
        (
            "Ultrasound: a clot from the {knee|calf} to the {groin|mid thigh}; D-dimer {1900-8800}.",
            "The vein could not be pressed flat; saturation {95-99} %.",
            "Calf {38-47} cm against {33-37}; no cough, no blood.",
            "Wells score {three|four}; platelets {160-390}.",
        ),
        (
            "{Rivaroxaban|Apixaban|Dalteparin} was begun within {2-5} hours.",
            "A stocking and {walking|three walks a day} eased the pressure by day {2-4}.",
            "CT of the chest found {no|one small} embolus.",
            "A search for a cause found {none|factor V Leiden|a long journey}.",
        ),
        (
            "Thinner for {three|six} months, then we talk.",
            "Stand up every {45-90} minutes.",
            "Stockings {by day|until autumn}.",
        ),
    ),
    Condition(
        "bleeding ulcer",
        (
            "black stools for {2-5} days and a faint in the {shower|market}.",
            "vomit like coffee grounds after weeks of {ibuprofen|diclofenac}.",
            "pallor, sweat and {stomach|upper belly} pain at night.",
            "weakness and a pulse of {104-130} on the {scales|sofa}.",
        ),
        (
            "Haemoglobin {6-9}, urea {13-24}, INR {1|2}.{0-4}.",
            "Endoscopy: an ulcer of {7-22} mm in the {antrum|bulb}, Forrest {Ib|IIa|IIb}.",
            "Helicobacter {positive|negative}; pressure {84-104} lying down.",
            "Clots in the {fundus|duodenum}, a {visible|oozing} vessel below.",
        ),
        (
            "{Two|Three} clips and {4-12} ml of adrenaline stopped it.",
            "{2-5} bags of red cells and pantoprazole by pump for {48|72} hours.",
            "A second look after {20-40} hours was dry.",
            "Diet from {yoghurt|porridge} to bread by day {3-5}.",
        ),
        (
            "No pain killers of that kind, ever again.",
            "{Three|Two} drugs for {10|14} days against the germ.",
            "Iron until {Easter|summer}; a scope in {6-9} weeks.",
        ),
    ),
    Condition(
        "gout",
        (
            "a big toe that could not bear the {sheet|sock}.",
            "a red {knee|ankle|wrist} since a {barbecue|hunting supper}.",
            "the {second|fourth|sixth} flare in {10-20} months.",
            "joint pain that woke the whole {house|floor} at {two|four}.",
        ),
        (
            "Uric acid {470-690}, CRP {28-140}; the joint hot and {shiny|purple}.",
            "Needle crystals in {3-25} ml of cloudy fluid; no germs.",
            "Ultrasound drew a double line over the {left|right} {toe|knee}.",
            "Tophi on {one|both} {ears|elbows}, creatinine {90-165}.",
        ),
        (
            "Colchicine, {two|three} tablets a day, and ice gave relief in {14-40} hours.",
            "Prednisolone {25-40} mg for {4-6} days, since the kidneys were {weak|tired}.",
            "{10-60} mg of triamcinolone went straight into the joint.",
            "On day {2-4} a {slipper|boot} could be worn.",
        ),
        (
            "Allopurinol from {100|150} mg, up every {2-4} weeks.",
            "Water instead of {stout|cola}; {cherries|milk} will do no harm.",
            "The aim is a uric acid below {300|360}.",
        ),
    ),
    Condition(
        "migraine",
        (
            "zigzag lights, then {5-40} hours of one-sided headache.",
            "head pain, {vomiting|shunning of light}, worst on {weekday}s.",
            "numb {lips|fingers} for {15-50} minutes before the pain.",
            "{9-16} days of headache a month since {spring|a new job}.",
        ),
        (
            "Neck supple, eyes equal, MRI {normal|with old specks}.",
            "Pressure {108-138} over {66-88}; no fever; fundus clear.",
            "The temple throbbed on the {left|right}; pain {7-9} of 10.",
            "Spinal fluid: {2-4} cells, opening at {11-19} cm.",
        ),
        (
            "Sumatriptan {50|100} mg and a dark room helped in {35-120} minutes.",
            "Aspirin by vein, {500|1000} mg, with metoclopramide.",
            "Overuse of {codeine|triptans} was the trap; a pause of {6-12} days broke it.",
            "{Topiramate|Propranolol|Candesartan} was begun at night.",
        ),
        (
            "A calendar of attacks, {red|blue} for tablets.",
            "At most {8-10} tablet days a month.",
            "Regular {meals|bedtimes}, and {swimming|yoga} twice a week.",
        ),
    ),
    Condition(
        "wrist fracture",
        (
            "a bent {left|right} wrist after a fall from a {bicycle|ladder|scooter}.",
            "pain and swelling of the wrist, having {skated|run for a bus}.",
            "a fork-shaped {left|right} forearm after {judo|a dance}.",
            "tingling in {two|three} fingers below a broken wrist.",
        ),
        (
            "Film: distal radius, tilted by {14-32} degrees, {two|three} fragments.",
            "Skin whole; thumb and pulse {good|present}; swelling {2-4} cm.",
            "CT: a step of {2-4} mm in the joint.",
            "Grip {3-9} kilos; the median nerve {intact|irritated}.",
        ),
        (
            "Set under a {haematoma|plexus} block and put in plaster for {4-6} weeks.",
            "A plate with {six|seven|nine} screws was fixed in {38-70} minutes.",
            "Films on day {4|7} showed {no|hardly any} slip.",
            "Finger {drills|exercises} started the {same|next} day.",
        ),
        (
            "Keep the hand {high|above the heart}, the {ring|watch} off.",
            "Plaster check in {24|48} hours, bone scan at {60-70}.",
            "Metal may {stay|leave} after {9-14} months.",
        ),
    ),
)
