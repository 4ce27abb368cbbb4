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
 * Returns the part of a text that an English synthesizer can say, which may be empty. Removes accents, other scripts and emoji, and spells
 * out known symbols.
 */
export const speakable = (input: string): string => {
  let text = input
  for (const [sign, words] of spelled) text = text.replace(sign, words)
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    // Splits longer runs of characters, because Flite looks up each word in a lexicon.
    .replace(/[^\s]{60}/g, '$& ')
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : ''
}
