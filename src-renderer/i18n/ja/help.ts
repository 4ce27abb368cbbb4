/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'ガイド',
  page: 'ガイドのページ',
  text: 'ページの本文',
  noPage: 'ガイドにこのページはありません。上から別のページを選択してください。',
  open: 'ガイドを開く',
}
