package synthetic

// The words of the articles, by their role in a sentence. When a copy is edited, a word is replaced by another of the
// same role.

const adjectives = `abrupt absent academic accurate active additional adequate adverse affordable aging alternative ambitious
ample annual anonymous anxious apparent arbitrary awkward balanced bitter blunt bold brief bright brisk broad busy calm
candid careful cautious central cheap chronic clear clumsy coastal coherent cold collective common compact competent
complex confident constant costly cramped crowded crucial curious current daily damp daring decent deep deliberate dense
detailed digital direct distant domestic doubtful drastic dry durable early eastern elaborate elderly elegant eligible
empty enduring equal essential even eventual exact excessive experienced explicit external extra faint fair faithful
familiar fierce final firm flat flexible foreign formal fragile frequent fresh frustrated full generous gentle genuine
global gradual grand grateful harsh hasty heavy helpful hidden historic honest hopeful huge humble idle immediate
impatient imperfect improved independent indirect informal initial inner intense internal isolated joint keen known
lasting late lawful lean legal lengthy liberal light limited local lone long loud loyal major marginal mature measured
mild minor mixed mobile modern modest mutual narrow national native neat nervous neutral new nominal northern notable
novel numerous obscure obvious odd official old open optional orderly original outer outright overdue painful partial
patient peculiar permanent plain pleasant polite popular portable practical precise premature private probable profound
promising prompt proper proud public quiet radical random rapid rare raw recent regional regular reliable reluctant
remote resilient rigid rival robust rough routine rural sceptical scattered scenic secret secure senior separate serious
severe shallow sharp short silent simple single slender slight slow small smooth social sober solid southern spare
special stable standard steady steep stern strict striking strong stubborn sturdy subtle sudden suitable superb surplus
swift tangible temporary tender thin thorough tight timely tiny tough transparent tricky typical unclear uneven unique
unlikely unpaid unusual urban urgent useful usual vague valid valuable varied vast vital vivid voluntary warm wary weak
wealthy western wide willing wise worthy`

const verbs = `abandon absorb accelerate accept accompany acquire adapt adjust admire adopt advance alter amend analyse announce
anticipate appoint approve arrange assemble assess assist attract audit avoid back block boost borrow broaden build calm
cancel challenge change clarify close collect combine compare complete complicate conceal concede confirm confront connect
conserve consider consolidate contain contest continue control convert correct counter cover criticise curb cut damage
debate declare decline defend defer define delay deliver demand deny describe design destroy develop direct discover
discuss dismiss disrupt divide document double dominate duplicate ease encourage endorse enforce enlarge ensure
evaluate examine exceed exclude expand expose extend favour finance finish fix follow force fund govern guarantee guard
guide halt handle harm highlight host identify ignore illustrate impose improve include increase influence inherit inspect
install interrupt introduce invent investigate isolate judge justify launch lead lease limit link locate lower maintain
manage match measure mend merge modify monitor move negotiate neglect observe obstruct offer oppose organise overhaul
oversee overturn patch pause permit persuade plan postpone praise predict prefer prepare preserve prevent process prolong
promote propose protect prove publish pursue question raise reach rebuild recall recommend reconsider record recover
redesign reduce refine reform refuse regulate reject relocate remove renew rent repair repeat replace report request
rescue resist resolve restore restrict resume retain review revise reward risk save scrap secure select settle shape
share shift shorten shrink simplify slow split stabilise store strengthen study submit suggest supply support suspend
sustain tackle target test tighten trace transfer transform trim unveil update upgrade use verify warn watch weaken
welcome withdraw`

const adverbs = `abruptly actively almost already barely briefly broadly carefully cautiously chiefly clearly closely
consistently constantly currently deliberately directly easily effectively entirely equally eventually evidently explicitly
finally firmly formally frequently fully gently gradually hardly hastily heavily honestly largely legally lightly locally
mainly merely mildly narrowly nearly notably officially openly partly patiently perhaps plainly politely poorly precisely
privately promptly properly publicly quickly quietly rapidly rarely readily regularly reluctantly repeatedly roughly safely
seldom seriously severely sharply silently simply slightly slowly smoothly steadily strictly strongly successfully suddenly
swiftly temporarily thoroughly tightly usually vigorously visibly voluntarily widely`

const saying = `acknowledged added admitted advised affirmed argued asserted believed claimed commented conceded concluded
confessed contended cautioned declared estimated explained feared hinted implied insisted maintained mentioned noted
observed pointed predicted promised recalled remarked replied reported said speculated stated stressed suggested
suspected testified thought told warned wrote`

const firstNames = `Ada Agnes Albert Alice Amir Andrea Anita Anton Arthur Astrid Beatrice Benjamin Bernard Brigid Bruno Camille
Carlos Cecilia Clara Conrad Cyrus Dagmar Daniel Daphne David Deborah Dennis Diego Dmitri Dora Edgar Edith Eleanor Elias
Emeka Emma Erik Esther Eva Farah Felix Fiona Florence Frank Gabriel Gemma Georgia Gerald Grace Greta Gustav Hannah Harold
Hassan Helen Henry Hilda Hugo Ibrahim Ida Igor Imogen Ines Irene Isaac Ivan Ivy Jacob Jasmine Joan Jonas Judith Julian
Karim Katya Kenji Lars Laura Leila Leonard Lucia Magnus Maria Martin Mei Miriam Nadia Naomi Nikhil Nora Oliver Olga Oscar
Patrick Paula Petra Priya Quentin Rachel Rafael Ralph Renata Robert Rosa Ruth Samuel Sandra Simon Sofia Stella Sven Tamara
Teresa Theo Thomas Tobias Ursula Valerie Vera Victor Walter Wanda Yusuf Zoe`

const surnameHeads = `Abbot Ashe Barr Beck Birch Black Bram Brook Cald Carr Chad Clay Cole Cran Dal Dray Dun East Elling Fair
Fern Finch Ford Gar Glen Grim Hal Hart Haw Hol Hud Kel Kirk Lang Law Lin Lock Mar Mat Mill Nor Oak Pel Pem Quill Rad Ram
Red Rook Sal San Shel Stan Stock Sut Thorn Tre Ul Van Wain Wal West Whit Win Wood Yar`

const surnameTails = `beck berg bourne bridge burn bury by combe cott croft dale den don dorf feld field ford gate grove ham
hart hurst ington land lane ley low man mere mont more ness pool quist ridge rose row sen shaw son stead stone strom ton
wald ward water well wick win wood worth yard`

const townHeads = `Alder Amber Ash Barrow Bay Bell Brant Bright Castle Cedar Clear Cold Copper Cross Deep Eagle Elm Falcon
Fox Frost Gold Green Grey Hazel Heron High Iron King Lake Lark Long Maple Marsh Mill Moor New North Old Otter Pearl Pine
Queen Raven Ridge River Rock Rose Salt Sand Silver Spring Stone Storm Summer Swan Thorn Upper Wolf`

const townTails = `bank borough bridge brook burgh cliff combe cross dale down fall field ford gate grove harbour haven head
hill holm hurst lake land ley march mere mill minster moor mouth point pool port reach ridge shore side stead stoke stow
ton vale view ville water well wick wood worth`

const weekdays = `Monday Tuesday Wednesday Thursday Friday Saturday Sunday`

const months = `January February March April May June July August September October November December`

const numbers = `two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety`
