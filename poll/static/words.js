// Words to compare aloud: bytes as words, one of 256 each, so that no two are alike on a telephone.
//
// Six words of the session's digest are 48 bits: whoever wants another announcement with the same
// words has to try some 2^47 of them while the class waits. poll/fingerprint_words.py reads this list.
import { joined, sha256 } from "./sodium.js";

export const WORDS = `
acid acorn actor album amber anchor angel ankle apple apron arch arrow artist atlas aunt axle
bacon badge bag baker balcony ball bamboo banana band barn basket beach bean bear bed bell
belt bench berry bike bird biscuit blanket boat bone book boot bottle bow bowl box branch
bread brick bridge broom brush bubble bucket bull bus butter button cabin cable cactus cake camel
camera candle canoe canvas cap car card carpet carrot castle cat cave cello chain chair chalk
cheese cherry chess chicken chimney circus city clay cliff clock cloud clown coat coconut coffee coin
comb comet copper coral cork corn cotton couch cow crab cradle crane crown cup curtain daisy
dance desert desk diamond dice doctor dog doll dolphin donkey door dragon drum duck eagle ear
earth echo egg elbow engine eraser face falcon family farm feather fence fern field finger fire
fish flag flame flower flute fog forest fork fountain fox frog fruit garden garlic gate ghost
giant ginger glass globe glove goat gold goose grape grass guitar hammer hand harbor hat hawk
heart hedge helmet hill honey hood horn horse hotel house ice igloo ink iron island ivory
jacket jaguar jar jewel judge juice jungle kettle key king kite kitten knee knife knot ladder
lake lamp lantern leaf lemon letter lion lizard lobster magnet mango map marble market mask meadow
melon milk mirror monkey moon mountain mouse mud needle nest night nose ocean olive onion orange
oven owl oyster paint palm panda paper parrot peach pearl pencil piano pillow pirate planet plum
`.trim().split(/\s+/);

const SESSION = 6; // words
const KEY = 4;

const said = (bytes) => Array.from(bytes, (byte) => WORDS[byte]).join(" ");

// Of the digest of an announcement, which names every key, question and promise in it.
export const sessionWords = (digest) => said(digest.slice(0, SESSION));

// Of one party's public key, as it is sent.
export const keyWords = (encoded) =>
  said(sha256(joined("veilmix words 1\0", encoded)).slice(0, KEY));
