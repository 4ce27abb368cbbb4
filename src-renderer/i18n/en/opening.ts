/** Of the page that stands in the window's place while a start checks, mends or updates the data. */
export const opening = {
  starting: 'Getting your data ready…',
  checking: {
    studio: 'Checking your chats and media…',
    ledger: 'Checking the request log…',
    bodies: 'Checking the kept texts of requests…',
    account: 'Checking the books of your account…',
  },
  mending: {
    studio: 'Mending your chats and media…',
    ledger: 'Mending the request log…',
    bodies: 'Mending the kept texts of requests…',
    account: 'Mending the books of your account…',
  },
  updating: {
    studio: 'Bringing your chats and media to this version…',
    ledger: 'Bringing the request log to this version…',
    bodies: 'Bringing the kept texts of requests to this version…',
    account: 'Bringing the books of your account to this version…',
  },
  rows_one: '{{shown}} row recovered so far',
  rows_other: '{{shown}} rows recovered so far',
  about: {
    starting: 'The studio opens here by itself.',
    checking:
      'The program was not ended in order the last time, so everything is read once. The studio opens here by itself.',
    mending:
      'This file was damaged. What can be read is recovered, and the damaged file is kept. The studio opens here by itself and tells what became of it.',
    updating: 'This happens once. The studio opens here by itself.',
  },
  going: 'At work',
  gone: 'Inference Studio has ended.',
  goneAbout: 'The terminal that it was started in says why. Start it again there and open the address that it prints.',
}
