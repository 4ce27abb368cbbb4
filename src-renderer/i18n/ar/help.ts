/** Texts of the guide in the window. The guide itself is in English. */
export const help = {
  title: 'الدليل',
  page: 'صفحة الدليل',
  text: 'نص الصفحة',
  noPage: 'لا توجد هذه الصفحة في الدليل. يُرجى اختيار صفحة أخرى أعلاه.',
  open: 'فتح الدليل',
}
