/** The sections, most frequently changed first. Each is a page with its own address, such as `#/settings/proxy`. */
export const sectionNames = [
  'connection',
  'appearance',
  'language',
  'chat',
  'proxy',
  'tools',
  'alerts',
  'data',
  'shortcuts',
  'about',
] as const
export type SectionName = (typeof sectionNames)[number]

/** Opens `about` and checks the installation: the address of "Check this installation" in the menu of the desktop. */
export const checkId = 'check'

/** The section of an address. An unknown or missing one opens the first section. */
export const sectionOf = (id: string | null): SectionName =>
  id === checkId ? 'about' : (sectionNames.find((name) => name === id) ?? 'connection')
