/** Words of the Chat room. */
export const chat = {
  title: 'Chat',
}
