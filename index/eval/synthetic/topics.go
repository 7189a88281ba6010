package synthetic

import "strings"

// topicTable provides the nouns of an article. There is a block for each topic. Its lines are: its name, used here
// only; who speaks; which bodies are named; and from the fourth line on, what it is about.
const topicTable = `town hall
councillor mayor planner surveyor resident landlord tenant architect clerk shopkeeper campaigner engineer
Borough Council; Planning Board; Housing Trust; Residents Forum; Heritage Society; Transport Authority
allotment archive ballot basement bench bin bridge budget bypass bylaw cemetery charter clinic committee consultation
council crossing depot district drain fence footpath fountain garage grant harbour hearing hedge highway housing lamp landmark
lease library licence market mast mayor meeting motion nursery park pavement permit petition playground plaza plot pond
precinct promenade quarter quay ramp referendum road roundabout school shelter square stairway street subway tax tenancy tower
tram tunnel turbine vote wall ward warehouse waterfront zoning

courts and police
prosecutor detective solicitor magistrate witness inspector constable barrister juror sergeant coroner investigator
Crown Court; Police Department; Prosecution Office; Law Society; Customs Service; Prison Inspectorate
accusation affidavit alibi allegation appeal arrest attorney bail barrister burglary case cell charge clue complaint
confession conviction court crime custody defendant detention dispute document dossier evidence fine forgery fraud gallery
hearing hideout indictment injury inquest interview judge jury kidnapping laptop lawsuit ledger motive offence passport
patrol penalty phone plea precinct prison prosecution raid ransom robbery sample seizure sentence settlement statement
summons suspect testimony theft trial verdict vehicle warrant witness

companies
analyst broker chairman director economist founder investor manager retailer spokesman trader treasurer
Holdings; Trading Company; Savings Bank; Manufacturing Group; Chamber of Commerce; Workers Union
acquisition advert asset auction bankruptcy board bond bonus branch brand buyout campaign cargo chain client contract
creditor customer dashboard deal debt deficit delivery dividend exporter factory fee fleet forecast franchise
importer industry inventory investor invoice logo loan loss manager margin merger mortgage office order outlet
package partner patent payroll pension plant portfolio price product profit prospectus quota rebate refund rental retailer
revenue salary sector shareholder shipment shop showroom stake startup stock strategy subsidiary supplier takeover tariff
turnover union valuation vendor wage warehouse workshop

science
astronomer biologist chemist geologist physicist researcher statistician student professor botanist zoologist technician
Institute of Physics; Natural History Museum; University; Space Agency; Marine Laboratory; Research Council
acid algorithm antenna asteroid atom bacterium battery beam calculation calibration camera carbon catalyst cell
chamber climate cluster colony comet compound computer core crater crystal current data density detector diagram dinosaur
disc dust eclipse electron element enzyme equation error experiment fibre field filter fossil fungus galaxy gas gene genome
glacier gravity habitat hypothesis instrument isotope journal laboratory laser lens magnet mammal membrane method
microscope mineral model molecule moon nebula neuron nucleus observatory orbit organism oxygen particle pattern planet plasma
pollen probe protein prototype quasar radar reactor reef robot sample satellite sediment sensor signal simulation
spectrum survey telescope theory tissue vaccine virus volcano wavelength

health
nurse surgeon paramedic pharmacist dentist patient physician psychologist carer midwife therapist consultant
General Hospital; Health Trust; Medical Association; Ambulance Service; Patients League; School of Medicine
allergy ambulance anaesthetic antibiotic appointment artery asthma bandage bed blood bone breath cancer care checkup
clinic cough cure dentist diagnosis diet disease dose drug epidemic exercise eyesight fatigue fever fracture gland grip
handbook hearing heart helpline hospital illness implant infection injection injury kidney lung medicine
midwife migraine muscle needle nutrition operation organ outbreak oxygen pain patient pharmacy physician pill placebo plaster
pregnancy prescription prevention pulse recovery referral relapse remedy risk routine scan screening sleep smoking specialist
stroke surgery symptom syringe tablet therapy transplant treatment trial tumour ulcer vaccine vitamin wound

sport
captain coach goalkeeper manager referee sprinter striker supporter trainer umpire veteran rower
Rovers; Athletic Club; Cricket Club; Rowing Association; Cycling Federation; Olympic Committee
amateur arena athlete attack award ball bat bench boxer captain catch champion championship clash coach comeback
contest corner court cup debut defeat defence derby draw dressing effort event exit favourite final finish fixture forward
foul fullback gallop goal goalkeeper gymnast half hurdle injury innings jersey jockey keeper league lineup marathon match
medal midfield opener opponent overtime paddock pass penalty pitch playoff podium pool qualifier race racket rally rebound
record referee relay rival rower season semifinal serve shot signing skater spectator sprint squad stadium striker substitute
swimmer tackle team tie tournament training transfer trophy tryout umpire veteran victory volley whistle winger

arts
actor author composer conductor critic curator dancer novelist painter playwright sculptor singer
Opera House; Arts Festival; Film Institute; City Gallery; Philharmonic; Publishing House
actor album anthology archive artist audience award ballad ballet band biography canvas cartoon cast cathedral
ceramic chapter choir chorus cinema collection comedy composer concert costume critic curator curtain dance dialogue
director drama drawing drum editor encore ensemble essay exhibit exhibition fable fashion festival fiction film gallery
guitar harmony hero illustration instrument interview jazz lyric magazine manuscript melody memoir mosaic mural museum music
musical mystery narrator novel opera orchestra overture painting palette parade performance photograph piano play playwright
plot poem poet portrait premiere producer publisher puppet rehearsal review rhyme rhythm saga satire scene score screenplay
script sculpture sequel singer sketch solo song soprano soundtrack stage statue story studio symphony tapestry theatre
ticket tour tragedy trilogy tune verse violin vocalist workshop

farms and wildlife
farmer forester gardener grower ranger shepherd vet warden beekeeper fisherman ecologist miller
Farmers Union; Wildlife Trust; Forestry Commission; Agricultural College; Water Board; River Authority
acre apple badger barley barn bee berry breed bull butter calf canal carrot cattle cheese chicken cider cow crop dairy
dog donkey drought duck eagle egg ewe farm fence fertiliser flock flood flower forest fox frost fruit garden goat
goose grain grass greenhouse hare harvest hay hedge heath herd hive honey horse irrigation kitten lamb lake livestock
lizard maize manure meadow milk mill moth mushroom nest oat onion orchard otter owl oyster pasture peach pear pesticide pig
plough pollen pony potato poultry pumpkin rabbit rain ranch reservoir ripening river seed shepherd shrub soil
spider squirrel stable straw swan timber tomato tractor tree turkey valley vegetable vet vineyard wasp weed wheat
willow wolf wool

transport
captain commuter conductor driver dispatcher engineer inspector mechanic operator passenger pilot cyclist
Railways; Harbour Authority; Airport; Bus Company; Shipping Line; Road Safety Council
airline airport anchor bay bearing bicycle boat brake bridge bus cabin cable canal captain cargo carriage coach
collision commuter compartment container convoy crane crew crossing cruise cyclist delay departure depot detour diesel
dock driver engine escalator exhaust fare ferry fleet flight freight fuel garage gate gear harbour helicopter hull
interchange jet junction lane lifeboat locomotive lorry mechanic motorcycle motorway mudguard operator pallet parcel
passenger pedestrian pier pilot platform port propeller rail railway route runway saddle sail schedule seat ship shuttle
sidecar siding signal sleeper speed station steamer subway tanker taxi terminal ticket timetable toll track traffic trailer
train tram truck tyre van vessel viaduct voyage waggon wharf wheel yacht

schools
headteacher teacher pupil parent tutor governor lecturer principal librarian caretaker inspector graduate
Primary School; Teachers Union; College; Education Board; Examination Office; Parents Association
absence academy admission allowance alphabet assembly assignment atlas attendance bell blackboard book break bully bus
canteen certificate chapter chart classroom club college course curriculum degree desk dictionary diploma discipline
discount dormitory drama education essay exam exercise experiment faculty geometry grade graduate grammar grant guardian
gym handbook headteacher history holiday homework inspection instruction kindergarten laboratory language laptop lecture
lesson library literacy literature locker lunch mark mentor notebook novel nursery parent pencil playground poem
primer principal project pupil qualification question quiz reading register report scholarship science seminar spelling
staff student subject survey syllabus teacher term test textbook thesis timetable tuition tutor uniform university
vocabulary workbook workshop

energy
engineer foreman geologist miner operator regulator technician welder electrician inspector lobbyist plumber
Power Company; Energy Regulator; Mining Corporation; Grid Operator; Climate Alliance; Gas Board
barrel battery biomass blackout boiler cable carbon charger chimney coal coating cobalt combustion conductor
consumer cooling copper current dam demand deposit derrick diesel drill dynamo efficiency electricity emission engine
ethanol excavation export extraction fuel furnace fuse gas gasket gauge generator grid hatch heating hydrogen incinerator
insulation kerosene kiln leak lignite lithium load meter methane mine nickel nozzle ore outage panel peat pipeline piston
plant platform pollution power pressure pump quarry radiation radiator reactor refinery regulator reserve rig rotor
scaffold scrubber shaft shortage solar steam steel storage subsidy substation supply surge switch tank tariff terminal
thermostat transformer turbine uranium valve ventilation voltage watt well wind winding zinc

homes and food
baker builder butcher carpenter chef decorator grocer householder neighbour plumber tailor waiter
Cookery School; Builders Guild; Food Bank; Consumer Council; Restaurant Group; Furniture Makers
apron attic bacon balcony banquet basket bathroom bedroom blanket blender bottle bowl bread breakfast brick broth brush
cabinet cake candle carpet ceiling cellar chair chef chimney chocolate cinnamon coffee cookbook cookie counter cream cupboard
curry curtain cushion custard dessert dinner dish doormat dough drawer flour fork freezer fridge furniture garlic ginger
glass grill hallway hammer herb jam jar juice kettle kitchen ladder ladle lamp lemon lunch marmalade mattress meal menu
mirror mug mustard napkin noodle nut oil olive omelette oven paint pan pastry pepper pie pillow plaster plate porch
pudding recipe restaurant rice roof rug salad salt sandwich sauce sausage shelf sink sofa soup spice spoon stew stove sugar
supper tablecloth tea teapot tile toast towel tray vinegar waiter wallpaper wardrobe window wine yoghurt`

// A topic is a block of the table.
type topic struct {
	roles, things string   // words
	bodies        []string // names of several words
}

func topics() []topic {
	var out []topic
	for block := range strings.SplitSeq(topicTable, "\n\n") {
		lines := strings.SplitN(block, "\n", 4)
		out = append(out, topic{roles: lines[1], bodies: strings.Split(lines[2], "; "), things: lines[3]})
	}
	return out
}
