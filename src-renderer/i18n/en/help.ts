/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'Guide',
  page: 'Page of the guide',
  text: 'Text of the page',
  noPage: 'The guide has no such page. Choose another one above.',
  open: 'Open the guide',
}
