/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'Guia',
  page: 'Página do guia',
  text: 'Texto da página',
  noPage: 'O guia não tem essa página. Escolha outra acima.',
  open: 'Abrir o guia',
}
