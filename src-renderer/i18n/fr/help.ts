/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'Guide',
  page: 'Page du guide',
  text: 'Texte de la page',
  noPage: 'Cette page n’existe pas dans le guide. Choisissez-en une autre ci-dessus.',
  open: 'Ouvrir le guide',
}
