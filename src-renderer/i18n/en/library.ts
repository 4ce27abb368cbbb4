/** The list: folders, search, import and export, prompts, presets. */
export const library = {
  title: '',
} as const
