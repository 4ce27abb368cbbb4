/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: 'Deine Daten werden vorbereitet …',
  checking: {
    studio: 'Chats und Medien werden geprüft …',
    ledger: 'Das Anfrageprotokoll wird geprüft …',
    bodies: 'Protokollierte Anfragen werden geprüft …',
    account: 'Kontoeinträge werden geprüft …',
  },
  mending: {
    studio: 'Chats und Medien werden repariert …',
    ledger: 'Das Anfrageprotokoll wird repariert …',
    bodies: 'Protokollierte Anfragen werden repariert …',
    account: 'Kontoeinträge werden repariert …',
  },
  updating: {
    studio: 'Chats und Medien werden aktualisiert …',
    ledger: 'Das Anfrageprotokoll wird aktualisiert …',
    bodies: 'Protokollierte Anfragen werden aktualisiert …',
    account: 'Kontoeinträge werden aktualisiert …',
  },
  waiting: {
    studio: 'Warten: Ein anderes Programm sperrt Chats und Medien',
    ledger: 'Warten: Ein anderes Programm sperrt das Anfrageprotokoll',
    bodies: 'Warten: Ein anderes Programm sperrt die protokollierten Anfragen',
    account: 'Warten: Ein anderes Programm sperrt die Kontoeinträge',
  },
  rows_one: 'Bisher {{shown}} Zeile gerettet',
  rows_other: 'Bisher {{shown}} Zeilen gerettet',
  about: {
    starting: 'Inference Studio öffnet sich hier von selbst.',
    checking:
      'Inference Studio wurde zuletzt nicht richtig geschlossen, deshalb werden alle Daten einmal geprüft. Es öffnet sich hier von selbst.',
    mending:
      'Diese Datei war beschädigt. Inference Studio rettet, was es kann, und behält die beschädigte Datei. Es öffnet sich hier von selbst mit einem Bericht.',
    updating: 'Das geschieht nur einmal. Inference Studio öffnet sich hier von selbst.',
    waiting:
      'Ein Datenbank-Browser, ein Backup-Programm oder ein anderer Befehl verwendet die Datei. Schließe sie dort. Inference Studio öffnet sich hier von selbst.',
  },
  inProgress: 'In Arbeit',
  stopped: 'Inference Studio wurde gestoppt.',
  stoppedAbout: 'Der Grund steht im Terminal. Starte Inference Studio dort erneut, und öffne die angezeigte Adresse.',
}
