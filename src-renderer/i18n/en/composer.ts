/** Composer, pictures, dictation, reading aloud. */
export const composer = {
  title: '',
} as const
