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
 * What an English synthesiser can say of a text: accents folded to their letters, known signs spelled out, other scripts and
 * emoji left out. Empty when nothing can be said.
 */
export const speakable = (input: string): string => {
  let text = input
  for (const [sign, words] of spelled) text = text.replace(sign, words)
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    // Flite's lexicon works per word; a "word" of thousands of letters is not one.
    .replace(/[^\s]{60}/g, '$& ')
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : ''
}
