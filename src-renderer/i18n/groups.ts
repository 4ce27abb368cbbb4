/**
 * Texts that only some pages show, by groups of namespaces. All others are loaded before the first paint. With the texts of any one page,
 * they have at most 60 kB (tests/renderer/i18n/size.test.ts).
 */
export const textGroups = {
  proxy: ['proxy', 'appSetups', 'programs'],
  usage: ['usage', 'keys'],
  media: ['speech', 'transcribe', 'images'],
  settings: ['settings', 'data'],
  notes: ['notes', 'selfCheck'],
} as const
export type TextGroup = keyof typeof textGroups

export const allGroups = Object.keys(textGroups) as TextGroup[]

/** The group of a namespace. Null: it is loaded first. */
export const groupOf = (namespace: string): TextGroup | null =>
  allGroups.find((group) => (textGroups[group] as readonly string[]).includes(namespace)) ?? null
