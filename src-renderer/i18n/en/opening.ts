/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: 'Getting your data ready…',
  checking: {
    studio: 'Checking your chats and media…',
    ledger: 'Checking the request log…',
    bodies: 'Checking logged requests…',
    account: 'Checking account records…',
  },
  mending: {
    studio: 'Repairing your chats and media…',
    ledger: 'Repairing the request log…',
    bodies: 'Repairing logged requests…',
    account: 'Repairing account records…',
  },
  updating: {
    studio: 'Updating your chats and media…',
    ledger: 'Updating the request log…',
    bodies: 'Updating logged requests…',
    account: 'Updating account records…',
  },
  waiting: {
    studio: 'Waiting: another program has locked your chats and media',
    ledger: 'Waiting: another program has locked the request log',
    bodies: 'Waiting: another program has locked the logged requests',
    account: 'Waiting: another program has locked the account records',
  },
  rows_one: '{{shown}} row recovered so far',
  rows_other: '{{shown}} rows recovered so far',
  about: {
    starting: 'Inference Studio opens here automatically.',
    checking:
      'Inference Studio was not closed properly last time, so all data is checked once. It opens here automatically.',
    mending:
      'This file was damaged. Inference Studio recovers what it can and keeps the damaged file. It opens here automatically with a report.',
    updating: 'This happens once. Inference Studio opens here automatically.',
    waiting:
      'A database browser, a backup program or another command is using the file. Close it there. Inference Studio opens here automatically.',
  },
  inProgress: 'In progress',
  stopped: 'Inference Studio has stopped.',
  stoppedAbout: 'See the terminal for the reason. Start it again there and open the printed address.',
}
