/** Code, formulas, diagrams and links in messages. */
export const markdown = {
  title: '',
} as const
