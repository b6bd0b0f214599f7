// Names that are drawn like others: `ａdmin`, `аdmin` with a Cyrillic а. Only new names are checked; existing ones stay. After UTS 39, 5.1 and 4.1,
// without its tables: names are refused that would pass for a name in Latin letters.

/** Alphabets whose letters look like one another's. */
const resembling = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
  /\p{Script=Deseret}/u,
];

/** Letters of other alphabets that are drawn like Latin ones; a whole name of them reads as a Latin name. */
const drawnAsLatin = new Set(
  [
    // Cyrillic; its small в, к, м, н and т are drawn like small capitals, which no Latin name is written in
    'аеорсухѕіјԁԛԝһӏү',
    'АВЕКМНОРСТУХЅІЈԌԚԜҺӀҮ',
    // Greek
    'αικνορυχϲϳ',
    'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ',
    // Armenian
    'օսոհզցյԼՏՍՕ',
    // Cherokee
    'ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏃᏎᏔᏙᏚᏞᏟᏢᏦᏴ',
  ].flatMap((letters) => Array.from(letters)),
);

/** Latin letters that are drawn like others, and come neither from a keyboard nor apart when the case is folded. */
const phonetic = /[ɑɡɩɪʀʏ\u1d00-\u1d22]/u;
const letter = /\p{L}/u;
const letterOrDigit = /[\p{L}\p{N}]/u;

export function looksLikeAnother(name: string): boolean {
  const letters = Array.from(name).filter((one) => letter.test(one));
  if (resembling.filter((script) => letters.some((one) => script.test(one))).length > 1) return true;
  if (letters.length > 0 && letters.every((one) => drawnAsLatin.has(one))) return true;
  return phonetic.test(name) || Array.from(name).some(isVariant);
}

/** Wide, mathematical, encircled: another form of letters or digits (UAX #15). Wide punctuation is none. */
function isVariant(one: string): boolean {
  const plain = one.normalize('NFKC');
  return plain !== one && letterOrDigit.test(plain);
}
