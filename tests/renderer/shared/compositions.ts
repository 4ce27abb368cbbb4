/** One event of the keyboard: `key`, `keyCode`, `isComposing`. */
export type KeyEvent =
  | readonly [type: 'keydown' | 'keyup', key: string, keyCode: number, isComposing: boolean]
  | readonly [type: 'compositionstart' | 'compositionend']

/** A real Enter after the composition. */
const enter: readonly KeyEvent[] = [
  ['keydown', 'Enter', 13, false],
  ['keyup', 'Enter', 13, false],
]

/**
 * The order of events while a text is composed, ended by Enter, and sent by a second Enter, without the keys of letters. Those of Debian 12
 * are recorded from real input methods (Chromium 156, Firefox ESR 153). The others are as the specification and the browsers’ reports of bugs
 * say.
 */
export const compositions = {
  'Chromium on Linux, ibus (recorded)': [
    ['compositionstart'],
    ['keydown', 'Process', 229, true],
    ['compositionend'],
    ...enter,
  ],
  'Chromium on Linux, ibus, when the second Enter is asked about as well (recorded)': [
    ['compositionstart'],
    ['keydown', 'Process', 229, true],
    ['compositionend'],
    ['keydown', 'Process', 229, false],
    ...enter,
  ],
  'Chromium on Linux, fcitx5 (recorded)': [
    ['compositionstart'],
    ['keydown', 'Process', 229, true],
    ['compositionend'],
    ...enter,
  ],
  'Chromium on Linux, keys without a name': [
    ['compositionstart'],
    ['keydown', 'Unidentified', 229, true],
    ['compositionend'],
    ['keyup', 'Enter', 13, false],
    ...enter,
  ],
  'Chromium on macOS': [
    ['compositionstart'],
    ['keydown', 'Enter', 229, true],
    ['compositionend'],
    ['keyup', 'Enter', 13, false],
    ...enter,
  ],
  'Chromium on Windows': [
    ['compositionstart'],
    ['keydown', 'Process', 229, true],
    ['compositionend'],
    ['keyup', 'Enter', 13, false],
    ...enter,
  ],
  'Safari, whose compositionend comes before keydown': [
    ['compositionstart'],
    ['compositionend'],
    ['keydown', 'Enter', 229, false],
    ['keyup', 'Enter', 13, false],
    ...enter,
  ],
  'Firefox on Linux, ibus and fcitx5 (recorded)': [
    ['compositionstart'],
    ['keydown', 'Process', 229, true],
    ['compositionend'],
    ['keyup', 'Enter', 13, false],
    ...enter,
  ],
  'Firefox on Windows': [
    ['compositionstart'],
    ['keydown', 'Process', 229, true],
    ['compositionend'],
    ['keyup', 'Enter', 13, false],
    ...enter,
  ],
  'Firefox on macOS': [
    ['compositionstart'],
    ['keydown', 'Enter', 229, true],
    ['compositionend'],
    ['keyup', 'Enter', 13, true],
    ...enter,
  ],
} as const satisfies Record<string, readonly KeyEvent[]>
