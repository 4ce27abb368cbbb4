/** Tools of a conversation: cards, editor, MCP servers. */
export const chatTools = {
  title: '',
} as const
