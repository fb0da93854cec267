"""Pools of invented values that stand in for identifiers of real people.

Everything here is made up by us: common given names and surnames in free combination, town and street
names put together from words of nature and trade, and telephone numbers from the range that the North
American Numbering Plan keeps for fiction (555-0100 to 555-0199). Within each pool no value occurs
twice, and no first name is also a surname, so that a value tells which pool it is from.
"""

from typing import Final

# fmt: off
FIRST_NAMES: Final[tuple[str, ...]] = (
    "Adaeze", "Aiden", "Akira", "Alba", "Alejandra", "Alfonso", "Alicia", "Alma", "Amara", "Amir",
    "Ana", "Anders", "Andrea", "Anika", "Antonio", "Anya", "Arjun", "Astrid", "Aurora", "Ayesha",
    "Beatriz", "Benedict", "Bianca", "Bilal", "Bruno", "Camila", "Carlos", "Carmen", "Cecilia",
    "Cedric", "Chidi", "Clara", "Claudia", "Colin", "Cora", "Cyrus", "Dalia", "Damian", "Daniela",
    "Darius", "Delia", "Dennis", "Dmitri", "Dolores", "Dominic", "Edith", "Eduardo", "Elena", "Elias",
    "Elif", "Elsa", "Emilio", "Emma", "Enzo", "Erik", "Esperanza", "Esteban", "Esther", "Eva", "Ezra",
    "Farah", "Fatima", "Felix", "Fernanda", "Fiona", "Florence", "Francisco", "Freya", "Gabriel",
    "Gemma", "Gideon", "Giulia", "Gloria", "Gustavo", "Hamza", "Hana", "Harriet", "Hassan", "Hector",
    "Heidi", "Helena", "Hugo", "Ian", "Ibrahim", "Ida", "Ignacio", "Imani", "Ines", "Ingrid", "Irina",
    "Isaac", "Isabel", "Ivan", "Jada", "Jamal", "Janelle", "Jasper", "Javier", "Jerome", "Jin",
    "Joanna", "Joaquin", "Jorge", "Josefina", "Juan", "Julia", "Kadir", "Kamala", "Karim", "Katya",
    "Kavya", "Keiko", "Kenji", "Kofi", "Lara", "Laszlo", "Leila", "Leon", "Leticia", "Lina", "Linh",
    "Lorenzo", "Lucia", "Luis", "Lydia", "Mabel", "Maeve", "Malik", "Manuel", "Marcus", "Margarita",
    "Mariana", "Mateo", "Maya", "Mei", "Mercedes", "Miguel", "Mila", "Milan", "Minh", "Mira",
    "Mohammed", "Nadia", "Naomi", "Natalia", "Nathan", "Nikhil", "Nina", "Noor", "Nora", "Octavio",
    "Olga", "Olivia", "Omar", "Oscar", "Pablo", "Paloma", "Patricia", "Pedro", "Petra", "Philip",
    "Priya", "Rafael", "Ramona", "Raquel", "Ravi", "Rebecca", "Renata", "Ricardo", "Rosa", "Rosalind",
    "Ruben", "Ruth", "Salma", "Samir", "Samuel", "Sandra", "Santiago", "Sara", "Selma", "Sergio",
    "Simone", "Sofia", "Soren", "Stella", "Suleiman", "Sunita", "Susana", "Tamara", "Tariq", "Teresa",
    "Theo", "Thuy", "Tobias", "Tomas", "Ulrich", "Uma", "Valentina", "Vanessa", "Vera", "Victor",
    "Violeta", "Wanda", "Wei", "Willa", "Ximena", "Yara", "Yolanda", "Yusuf", "Zainab", "Zara", "Zoe",
    "Zoltan",
)

SURNAMES: Final[tuple[str, ...]] = (
    "Abara", "Abbott", "Acosta", "Adeyemi", "Aguilar", "Ahmadi", "Albrecht", "Alcott", "Almeida",
    "Alvarado", "Andersen", "Aquino", "Arroyo", "Ashworth", "Avila", "Ayala", "Babic", "Bakshi",
    "Balogun", "Banerjee", "Barlow", "Barrera", "Bashir", "Becerra", "Beckett", "Beltran", "Benitez",
    "Bergstrom", "Bernal", "Bhatt", "Bianchi", "Blackwell", "Bocanegra", "Bonilla", "Bouchard",
    "Bowers", "Bradshaw", "Brennan", "Briones", "Bui", "Burgos", "Caldwell", "Camacho", "Canales",
    "Cardenas", "Carranza", "Castaneda", "Castillo", "Ceballos", "Cervantes", "Chandra", "Chavez",
    "Cheung", "Choudhury", "Cisneros", "Colon", "Contreras", "Corcoran", "Cordero", "Corrales",
    "Crawford", "Cuevas", "Dagher", "Dalton", "Davila", "Delacroix", "Delgado", "Demir", "Desai",
    "Diallo", "Dinh", "Dominguez", "Donovan", "Dubois", "Duran", "Echeverria", "Eklund", "Elizondo",
    "Ellsworth", "Escobar", "Espinoza", "Estrada", "Fairchild", "Farrell", "Faulkner", "Fernandes",
    "Ferreira", "Figueroa", "Fitzgerald", "Flores", "Fonseca", "Forsyth", "Fuentes", "Fujimoto",
    "Galindo", "Gallegos", "Galvan", "Gamboa", "Garrett", "Garza", "Georgiou", "Ghosh", "Giordano",
    "Gomes", "Granados", "Greenwood", "Guerrero", "Guevara", "Gutierrez", "Haddad", "Halvorsen",
    "Hargrove", "Hashimoto", "Hathaway", "Henriquez", "Hernandez", "Herrera", "Hinojosa", "Hoang",
    "Holloway", "Horvath", "Huerta", "Hussein", "Ibarra", "Iglesias", "Ingram", "Iyer", "Jaramillo",
    "Jennings", "Jimenez", "Johansson", "Kaminski", "Kang", "Kapoor", "Karlsson", "Kaur", "Keller",
    "Khalil", "Kimura", "Kincaid", "Kovacs", "Krishnan", "Kuznetsov", "Lachance", "Langley", "Larkin",
    "Leclair", "Ledesma", "Leung", "Lindholm", "Lockhart", "Lombardi", "Lozano", "Lucero", "Luong",
    "Machado", "Mackenzie", "Madrigal", "Maldonado", "Malhotra", "Mancini", "Manzano", "Marchetti",
    "Marquez", "Matsuda", "Mbeki", "McAllister", "McBride", "Medina", "Mehta", "Mejia", "Melendez",
    "Mendoza", "Mercado", "Meyer", "Miranda", "Mishra", "Molina", "Montalvo", "Montoya", "Morales",
    "Moreau", "Mukherjee", "Munoz", "Murillo", "Nakamura", "Naranjo", "Navarro", "Ndiaye", "Negron",
    "Nguyen", "Nieves", "Novak", "Nwosu", "Obregon", "Ocampo", "Ochoa", "Okafor", "Okonkwo", "Olivares",
    "Olsen", "Oquendo", "Ordonez", "Orozco", "Ortega", "Osei", "Ota", "Pacheco", "Padilla", "Palacios",
    "Pantoja", "Paredes", "Patterson", "Pavlov", "Pedersen", "Pellegrini", "Peralta", "Petrov", "Pham",
    "Pickett", "Pineda", "Ponce", "Portillo", "Preciado", "Prescott", "Quezada", "Quiles", "Quinones",
    "Quintero", "Radcliffe", "Rahman", "Ramachandran", "Rangel", "Rasmussen", "Rendon", "Renteria",
    "Restrepo", "Reyes", "Rinaldi", "Rivas", "Robledo", "Rocha", "Rojas", "Romano", "Rosales",
    "Rosario", "Rossi", "Rutherford", "Saavedra", "Sahin", "Saito", "Salazar", "Salgado", "Sandoval",
    "Santana", "Schneider", "Sepulveda", "Serrano", "Shapiro", "Shimizu", "Siddiqui", "Sinclair",
    "Solano", "Soto", "Stavros", "Suarez", "Szabo", "Takeda", "Talbot", "Tanaka", "Tapia", "Thackeray",
    "Thapa", "Toledo", "Torres", "Tran", "Trevino", "Trujillo", "Turay", "Ulloa", "Underwood", "Urbina",
    "Valdez", "Valencia", "Vandenberg", "Vargas", "Vasquez", "Velasco", "Venkatesan", "Vidal",
    "Villanueva", "Vogel", "Vuong", "Wakefield", "Walcott", "Weatherby", "Whitaker", "Winslow",
    "Wojcik", "Xiong", "Yamada", "Yanez", "Yilmaz", "Zamora", "Zapata", "Zavala", "Zhou", "Zielinski",
    "Zuniga",
)

TOWNS: Final[tuple[str, ...]] = (
    "Alderford", "Alderwick", "Aldercombe", "Ambermere", "Amberstead", "Amberhaven", "Aspenwick",
    "Aspencombe", "Aspenford", "Barrowstead", "Barrowhaven", "Barrowwick", "Birchcombe", "Birchford",
    "Birchstead", "Bramhaven", "Brammere", "Bramcombe", "Briarford", "Briarstead", "Cedarmere",
    "Cedarcombe", "Cinderwick", "Cinderhaven", "Cloverstead", "Cloverford", "Clovercombe",
    "Coppercombe", "Coppermere", "Copperhaven", "Cranehaven", "Cranewick", "Craneford", "Dappleford",
    "Dapplecombe", "Dapplewick", "Dunlinmere", "Dunlinhaven", "Dunlinstead", "Elderwick", "Elderford",
    "Eldercombe", "Emberstead", "Embermere", "Emberford", "Fallowcombe", "Fallowwick", "Fallowmere",
    "Fernhaven", "Fernstead", "Fernwick", "Finchford", "Finchhaven", "Finchcombe", "Flintmere",
    "Flintford", "Flinthaven", "Gorsewick", "Gorsemere", "Gorseford", "Hazelstead", "Hazelwick",
    "Heroncombe", "Heronstead", "Juniperhaven", "Junipercombe", "Kestrelford", "Larchmere",
    "Lindenwick", "Mallowstead", "Mallowcombe", "Marlcombe", "Marlhaven", "Mosshaven", "Mossford",
    "Otterford", "Ottermere", "Otterwick", "Pebblemere", "Pebblewick", "Pebblestead", "Quillwick",
    "Quillstead", "Quillcombe", "Ravenstead", "Ravencombe", "Ravenford", "Rowancombe", "Rowanhaven",
    "Rowanmere", "Sablehaven", "Sableford", "Sablewick", "Sorrelford", "Sorrelwick", "Sorrelcombe",
    "Tansymere", "Tansystead", "Tansyhaven", "Thistlewick", "Thistlecombe", "Thistleford",
    "Willowstead", "Willowhaven", "Willowwick",
)

STREETS: Final[tuple[str, ...]] = (
    "Acorn Street", "Anvil Road", "Badger Way", "Beacon Avenue", "Bellflower Drive", "Bramble Place",
    "Buttercup Lane", "Candlewick Court", "Cartwright Avenue", "Chestnut Drive", "Coppersmith Place",
    "Cornflower Lane", "Cottonwood Court", "Cricket Street", "Daisy Road", "Damson Way", "Dogwood Lane",
    "Dovetail Court", "Driftwood Street", "Falcon Road", "Foxglove Way", "Gatehouse Avenue",
    "Goldfinch Drive", "Granary Place", "Harvest Road", "Hawthorn Way", "Heather Avenue",
    "Hickory Drive", "Hollyhock Place", "Hopper Lane", "Ironwood Court", "Ivy Street", "Jackdaw Drive",
    "Kiln Place", "Lantern Lane", "Lavender Court", "Lilac Street", "Locust Road", "Magnolia Way",
    "Marigold Avenue", "Meadowlark Court", "Millrace Street", "Mulberry Road", "Nightingale Way",
    "Nutmeg Avenue", "Orchard Drive", "Partridge Place", "Pinecone Lane", "Poplar Way",
    "Primrose Avenue", "Quarry Drive", "Quince Place", "Redbud Lane", "Saddler Court",
    "Sandpiper Street", "Sassafras Road", "Silverleaf Place", "Skylark Lane", "Spindle Court",
    "Starling Street", "Sycamore Road", "Tanner Way", "Teasel Avenue", "Thimble Drive",
    "Turnstone Street", "Verbena Road", "Walnut Way", "Weaver Avenue", "Wheatfield Drive", "Wren Place",
)
# fmt: on

AREA_CODES: Final[tuple[str, ...]] = ("206", "303", "312", "404", "415", "505", "512", "602", "615", "702")

FULL_NAMES: Final = len(FIRST_NAMES) * len(SURNAMES)
PHONE_NUMBERS: Final = 100 * len(AREA_CODES)


def full_name(index: int) -> tuple[str, str]:
    """First name and surname number `index` of the `FULL_NAMES` combinations; no two are the same.

    Raises:
        IndexError: the index is not in 0 .. FULL_NAMES - 1.
    """
    if not 0 <= index < FULL_NAMES:
        raise IndexError(f"full name {index} does not exist; there are {FULL_NAMES}")
    first, last = divmod(index, len(SURNAMES))
    return FIRST_NAMES[first], SURNAMES[last]


def phone_number(index: int) -> str:
    """Telephone number `index` of the `PHONE_NUMBERS` fictional ones, such as `206-555-0100`.

    Raises:
        IndexError: the index is not in 0 .. PHONE_NUMBERS - 1.
    """
    if not 0 <= index < PHONE_NUMBERS:
        raise IndexError(f"phone number {index} does not exist; there are {PHONE_NUMBERS}")
    area, line = divmod(index, 100)
    return f"{AREA_CODES[area]}-555-{100 + line:04d}"
