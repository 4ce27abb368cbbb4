/** Command palette and shortcuts. */
export const palette = {
  title: '',
} as const
