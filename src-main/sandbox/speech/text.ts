const spelled: [RegExp, string][] = [
  [/[‘’‚′]/g, "'"],
  [/[“”„″«»]/g, '"'],
  [/[–—…]/g, ', '],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[øØ]/g, 'o'],
  [/[đĐð]/g, 'd'],
  [/[łŁ]/g, 'l'],
  [/€/g, ' euros '],
  [/£/g, ' pounds '],
  [/[×]/g, ' times '],
  [/°/g, ' degrees '],
]

/**
 * The part of a text that an English synthesizer can say: folds accents, spells out known symbols, drops other scripts and emoji. May be
 * empty.
 */
export const speakable = (input: string): string => {
  let text = input
  for (const [sign, words] of spelled) text = text.replace(sign, words)
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    // Flite's lexicon works per word. Thousands of letters are not a word.
    .replace(/[^\s]{60}/g, '$& ')
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : ''
}
