export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** A shortcut as this machine's people write it: `shortcut('N')` is ⌘N or Ctrl+N. */
export const shortcut = (key: string): string => (isMac ? `⌘${key}` : `Ctrl+${key}`)
