/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'Anleitung',
  page: 'Seite der Anleitung',
  text: 'Text der Seite',
  noPage: 'Diese Seite gibt es in der Anleitung nicht. Wähle oben eine andere.',
  open: 'Anleitung öffnen',
}
