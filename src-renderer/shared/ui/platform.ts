export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** A shortcut as users of this platform write it: `shortcut('N')` is ⌘N or Ctrl+N. */
export const shortcut = (key: string): string => (isMac ? `⌘${key}` : `Ctrl+${key}`)
