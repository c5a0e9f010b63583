const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words without meaning for a search, except within a name. */
export const FILLERS = words(`
  a an the some any all every everything anything something stuff things thing music musics records record recordings
  release releases released song songs track tracks tune tunes piece pieces work of to with in on at from for by and or
  but please show find give get me i im am looking search searching want need would like love hear listen play list us
  let can could you do have has got is are was were be been that which who whose this these those there what whats best good great
  nice cool really very just also only made recorded produced produces issued published pressed put out came bit lot
  kind kinds sort type types style styles genre genres sounding sounds like era period years year based label labels
  format country artist artists band bands new more available as my your his her their`);

/** Phrases that start a request; removed from a text that is searched literally. */
export const REQUEST =
  /^(?:please\s+|(?:can|could|would)\s+you\s+(?:please\s+)?)?(?:(?:show|find|give|get|play)\s+me\s+|search\s+for\s+|(?:songs?|tracks?|albums?|records?)\s+(?:called|named|titled)\s+|(?:i['’]?m|i\s+am)\s+looking\s+for\s+|looking\s+for\s+|i\s+(?:want|need|would\s+like)\s+to\s+(?:hear|find)\s+|find\s+)/i;

/** Words that end a name. */
export const NAME_ENDS = words(
  'but except without excluding minus or since before between until released played',
);

/** Words that may begin a clause. */
export const CLAUSE_STARTS = words('from in on after during with out up prior made recorded');
