/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'Guía',
  page: 'Página de la guía',
  text: 'Texto de la página',
  noPage: 'La guía no tiene esa página. Elige otra arriba.',
  open: 'Abrir la guía',
}
