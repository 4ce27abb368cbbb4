const mayHaveWorked = 'Der erste Versuch kann schon Arbeit und Kosten verursacht haben.'

/** One entry for every kind. No text may say that nothing was charged. */
const kinds = {
  invalid_request: {
    title: 'Der Dienst hat diese Anfrage abgelehnt',
    meaning: 'Die Anfrage ist für dieses Modell nicht gültig (400). Ändere sie, bevor du es erneut versuchst.',
    action: 'Bearbeiten',
  },
  unauthorized: {
    title: 'Der Dienst hat diesen API-Schlüssel abgelehnt',
    meaning: 'Der API-Schlüssel ist nicht gültig (401). Prüfe ihn in den Einstellungen.',
    action: 'Schlüssel prüfen',
  },
  insufficient_credits: {
    title: 'Guthaben reicht nicht aus',
    meaning:
      'Das Konto hat zu wenig SC für diese Anfrage (402). Lade es dort auf, wo du das Konto eröffnet hast, und versuche es erneut.',
    action: 'Erneut versuchen',
  },
  forbidden: {
    title: 'Keine Berechtigung',
    meaning:
      'Der API-Schlüssel hat dafür keine Berechtigung (403). Verwende einen anderen Schlüssel, oder frage, wer dein Konto verwaltet.',
    action: 'Schlüssel ändern',
  },
  not_found: {
    title: 'Modell oder Adresse nicht gefunden',
    meaning:
      'Der Dienst kennt dieses Modell oder diese Adresse nicht (404). Wähle ein anderes Modell, oder prüfe die Basis-URL in den Einstellungen.',
    action: 'Adresse prüfen',
  },
  rate_limited: {
    title: 'Zu viele Anfragen',
    meaning: 'Ein Limit für Anfragen oder Auslastung ist erreicht (429). Warte kurz, und versuche es erneut.',
    action: 'Erneut versuchen',
  },
  internal: {
    title: 'Fehler des Dienstes',
    meaning: `Der Dienst meldete einen internen Fehler (500). Die Anfrage wurde nicht automatisch wiederholt. ${mayHaveWorked}`,
    action: 'Erneut versuchen',
  },
  not_implemented: {
    title: 'Vom Dienst nicht unterstützt',
    meaning: 'Der Dienst bietet das nicht an (501). Verwende stattdessen den Chat.',
    action: 'Chat öffnen',
  },
  bad_gateway: {
    title: 'Der Dienst konnte sein Modell nicht erreichen',
    meaning: `Beim Dienst gab es einen Fehler auf dem Weg zum Modell (502). ${mayHaveWorked}`,
    action: 'Erneut versuchen',
  },
  unavailable: {
    title: 'Der Dienst ist nicht verfügbar',
    meaning: `Der Dienst bittet, es später erneut zu versuchen (503). ${mayHaveWorked}`,
    action: 'Erneut versuchen',
  },
  gateway_timeout: {
    title: 'Das Modell brauchte zu lange',
    meaning: `Der Dienst wartet nicht länger auf das Modell (504). ${mayHaveWorked}`,
    action: 'Erneut versuchen',
  },
  unexpected_status: {
    title: 'Unerwartete Antwort',
    meaning: 'Der Dienst antwortete mit einem Status, den dieses Programm nicht erwartet.',
    action: 'Erneut versuchen',
  },
  connect_failed: {
    title: 'Der Dienst ist nicht erreichbar',
    meaning: 'Unter dieser Adresse antwortet nichts. Prüfe die Adresse und dein Netz.',
    action: 'Adresse prüfen',
  },
  connect_timeout: {
    title: 'Zeitüberschreitung beim Verbinden',
    meaning:
      'Die Adresse hat die Verbindung nicht angenommen. Vielleicht ist dein Netz langsam, oder eine Firewall sperrt sie.',
    action: 'Erneut versuchen',
  },
  tls_failed: {
    title: 'Keine sichere Verbindung',
    meaning: 'Das Zertifikat des Dienstes ließ sich nicht prüfen. Nichts wurde gesendet. Prüfe die Adresse.',
    action: 'Adresse prüfen',
  },
  headers_timeout: {
    title: 'Antwort blieb aus',
    meaning: 'Die Anfrage wurde gesendet, aber es begann keine Antwort. Trotzdem können Kosten anfallen.',
    action: 'Erneut versuchen',
  },
  idle_timeout: {
    title: 'Die Antwort ist stehen geblieben',
    meaning: 'Es kam kein Text mehr an. Ein neuer Versuch fordert eine neue Antwort an, die wieder kostet.',
    action: 'Erneut versuchen',
  },
  connection_lost: {
    title: 'Die Verbindung ist abgebrochen',
    meaning: 'Die Verbindung endete, bevor die Antwort vollständig war. Trotzdem können Kosten anfallen.',
    action: 'Erneut versuchen',
  },
  malformed_reply: {
    title: 'Unlesbare Antwort',
    meaning:
      'Die Antwort passt nicht zu ihrem Inhaltstyp. Vielleicht hat der Dienst einen Fehler, oder dies ist nicht seine Adresse.',
    action: 'Erneut versuchen',
  },
  incomplete_stream: {
    title: 'Die Antwort ist unvollständig',
    meaning:
      'Die Antwort endete ohne Angabe eines Grundes. Ein neuer Versuch fordert eine neue Antwort an, die wieder kostet.',
    action: 'Erneut versuchen',
  },
  foreign_address: {
    title: 'Gesperrte Adresse',
    meaning: 'Der Dienst nannte eine Datei außerhalb seiner Basis-URL. Dein Schlüssel wird nicht dorthin gesendet.',
    action: 'Adresse prüfen',
  },
  cancelled: {
    title: 'Gestoppt',
    meaning: 'Die Anfrage wurde abgebrochen. Sie wird nicht automatisch wiederholt.',
    action: 'Erneut versuchen',
  },
  would_wait: {
    title: 'Nicht gesendet: Sie hätte warten müssen',
    meaning: 'Die Warteschlange ist belegt, und diese App wollte nicht warten. Die Anfrage wurde nicht gesendet.',
    action: 'Erneut versuchen',
  },
  queue_full: {
    title: 'Warteschlange voll',
    meaning: 'Zu viele Anfragen warten. Diese Anfrage wurde nicht gesendet. Warte, bis einige fertig sind.',
    action: 'Erneut versuchen',
  },
  queue_timeout: {
    title: 'Zu lange in der Warteschlange',
    meaning: 'Die Anfrage wartete zu lange in der Warteschlange und wurde nicht gesendet.',
    action: 'Erneut versuchen',
  },
  bad_input: {
    title: 'Prüfe deine Eingabe',
    meaning: 'Ein Wert fehlt oder ist nicht gültig. Korrigiere ihn, und versuche es erneut.',
    action: 'Bearbeiten',
  },
  not_connected: {
    title: 'Nicht verbunden',
    meaning: 'Es gibt keine Verbindung, oder ihr API-Schlüssel fehlt. Verbinde dich in den Einstellungen.',
    action: 'Verbinden',
  },
  connection_changed: {
    title: 'Die Verbindung wurde gewechselt',
    meaning:
      'Die Anfrage wurde nicht gesendet, weil die Verbindung vorher gewechselt wurde. Versuche es erneut, um die neue Verbindung zu verwenden.',
    action: 'Erneut versuchen',
  },
  keychain_missing: {
    title: 'Kein Schlüsselbund auf diesem Computer',
    meaning: 'Der Schlüssel kann nicht gespeichert werden. Er lässt sich nur bis zum Beenden verwenden.',
    action: 'Einstellungen öffnen',
  },
  keychain_locked: {
    title: 'Der Schlüsselbund ist gesperrt',
    meaning: 'Entsperre den Schlüsselbund in deinem System, und prüfe es dann erneut.',
    action: 'Erneut prüfen',
  },
  no_such_item: {
    title: 'Nicht gefunden',
    meaning: 'Es wurde gelöscht, hier oder in einem anderen Fenster.',
    action: 'Chat öffnen',
  },
  busy: {
    title: 'Läuft schon',
    meaning: 'Derselbe Vorgang läuft gerade. Warte, bis er endet.',
    action: 'Erneut versuchen',
  },
  folder_in_use: {
    title: 'Der Datenordner wird schon verwendet',
    meaning: 'Ein anderes Inference Studio verwendet ihn. Schließe dieses zuerst.',
    action: 'Neu laden',
  },
  store_newer: {
    title: 'Die Daten stammen von einer neueren Version',
    meaning:
      'Eine neuere Version von Inference Studio hat diese Daten geschrieben. Aktualisiere Inference Studio. Nichts wurde geändert.',
    action: 'Details kopieren',
  },
  store_damaged: {
    title: 'Die Daten sind nicht lesbar',
    meaning: 'Die Datenbank ist beschädigt. Lege zuerst eine Kopie des Datenordners an.',
    action: 'Ordner anzeigen',
  },
  disk_full: {
    title: 'Der Datenträger ist voll',
    meaning: 'Es kann nichts mehr gespeichert werden. Schaffe etwas Platz, und versuche es erneut.',
    action: 'Ordner anzeigen',
  },
  not_writable: {
    title: 'Keine Schreibberechtigung',
    meaning:
      'Inference Studio kann nicht in diesen Ordner schreiben. Gib deinem Benutzerkonto Schreibzugriff, und versuche es erneut.',
    action: 'Ordner anzeigen',
  },
  too_many_open_files: {
    title: 'Zu viele offene Dateien',
    meaning:
      'Inference Studio kann gerade keine weiteren Dateien öffnen. Schließe andere Programme, und versuche es erneut.',
    action: 'Erneut versuchen',
  },
  database_locked: {
    title: 'Die Datenbank ist gesperrt',
    meaning:
      'Ein anderes Programm sperrt sie, zum Beispiel ein Datenbank-Browser. Schließe es, und versuche es erneut.',
    action: 'Erneut versuchen',
  },
  port_taken: {
    title: 'Der Port ist belegt',
    meaning: 'Ein anderes Programm verwendet diesen Port. Wähle in den Einstellungen einen anderen.',
    action: 'Port ändern',
  },
  bug: {
    title: 'Interner Fehler',
    meaning:
      'In Inference Studio ist etwas schiefgegangen, nicht beim Dienst. Die Details helfen, die Ursache zu finden.',
    action: 'Details kopieren',
  },
}

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'Der API-Schlüssel ist nicht gültig (401). Gib ihn noch einmal ein, oder verwende einen anderen.',
  not_found: 'Der Dienst kennt dieses Modell oder diese Adresse nicht (404). Prüfe die Basis-URL.',
  not_connected: 'Es gibt keine Verbindung, oder ihr API-Schlüssel fehlt.',
  port_taken: 'Ein anderes Programm verwendet diesen Port. Wähle einen anderen.',
}

/** Texts for `unexpected_status`, by what the status calls for. Each begins with the message of the core. */
const statuses = {
  informational: {
    title: 'Keine endgültige Antwort',
    meaning: `Der Dienst sendete eine Zwischenantwort, aber keine endgültige ({{status}}). ${mayHaveWorked}`,
  },
  empty: {
    title: 'Antwort ohne Inhalt',
    meaning: 'Der Dienst antwortete ohne den erwarteten Inhalt ({{status}}).',
  },
  redirect: {
    title: 'Der Dienst leitet an eine andere Adresse weiter',
    meaning:
      'Der Dienst antwortete mit einer Weiterleitung ({{status}}). Der Schlüssel wird nicht an eine andere Adresse gesendet: Prüfe die Basis-URL.',
  },
  method: {
    title: 'An dieser Adresse nicht möglich',
    meaning:
      'Der Dienst nimmt diese Art von Anfrage an dieser Adresse nicht an ({{status}}). Prüfe die Basis-URL in den Einstellungen.',
  },
  format: {
    title: 'Format nicht angenommen',
    meaning: 'Der Dienst nimmt das Format dieser Anfrage nicht an ({{status}}). Verwende ein anderes Format.',
  },
  proxy: {
    title: 'Das Netz verlangt eine Anmeldung',
    meaning:
      'Ein Netz oder Proxy auf dem Weg zum Dienst verlangt eine Anmeldung ({{status}}). Melde dich im Netz an, und versuche es erneut.',
  },
  timeout: {
    title: 'Die Anfrage kam nicht rechtzeitig an',
    meaning:
      'Der Dienst erhielt nicht rechtzeitig die ganze Anfrage ({{status}}). Prüfe dein Netz, und versuche es erneut.',
  },
  conflict: {
    title: 'Konflikt beim Dienst',
    meaning:
      'Der Dienst meldete einen Konflikt mit einer anderen Anfrage oder mit seinem Zustand ({{status}}). Versuche es gleich noch einmal.',
  },
  gone: {
    title: 'Nicht mehr verfügbar',
    meaning:
      'Diese Adresse oder dieses Modell gibt es beim Dienst nicht mehr ({{status}}). Wähle ein anderes Modell, oder prüfe die Basis-URL in den Einstellungen.',
  },
  length: {
    title: 'Länge erforderlich',
    meaning: 'Der Dienst muss die Länge einer Anfrage kennen, bevor sie ankommt ({{status}}).',
  },
  tooLarge: {
    title: 'Zu groß für den Dienst',
    meaning:
      'Die Anfrage ist größer, als der Dienst annimmt ({{status}}). Verkleinere oder teile sie, bevor du es erneut versuchst.',
  },
  addressTooLong: {
    title: 'Adresse zu lang',
    meaning: 'Die Adresse der Anfrage ist länger, als der Dienst annimmt ({{status}}).',
  },
  range: {
    title: 'Teil nicht verfügbar',
    meaning: 'Der Dienst hat den angeforderten Teil der Datei nicht ({{status}}).',
  },
  unprocessable: {
    title: 'Der Dienst kann diese Anfrage nicht verarbeiten',
    meaning:
      'Der Dienst hat die Anfrage verstanden, kann sie aber nicht verarbeiten ({{status}}). Ändere sie, bevor du es erneut versuchst.',
  },
  joke: {
    title: 'Der Dienst hat diese Anfrage abgelehnt',
    meaning: 'Der Dienst hat die Anfrage abgelehnt: „Ich bin eine Teekanne“ ({{status}}).',
  },
  wrongHost: {
    title: 'Falscher Server',
    meaning:
      'Die Anfrage erreichte einen Server, der für diese Adresse nicht zuständig ist ({{status}}). Prüfe die Basis-URL in den Einstellungen.',
  },
  early: {
    title: 'Zu früh',
    meaning: 'Der Dienst möchte die Anfrage noch nicht verarbeiten ({{status}}). Versuche es gleich noch einmal.',
  },
  upgrade: {
    title: 'Anderes Protokoll nötig',
    meaning:
      'Der Dienst verlangt ein anderes Protokoll oder eine neuere Version davon ({{status}}). Prüfe die Basis-URL in den Einstellungen.',
  },
  headersTooLarge: {
    title: 'Header zu groß',
    meaning: 'Die Header der Anfrage sind größer, als der Dienst annimmt ({{status}}).',
  },
  legal: {
    title: 'Aus rechtlichen Gründen nicht verfügbar',
    meaning: 'Der Dienst darf diese Anfrage aus rechtlichen Gründen nicht beantworten ({{status}}).',
  },
  client: {
    title: 'Der Dienst hat diese Anfrage abgelehnt',
    meaning: 'Der Dienst hat die Anfrage abgelehnt ({{status}}). Ändere sie, bevor du es erneut versuchst.',
  },
  storage: {
    title: 'Der Dienst hat keinen Speicher mehr',
    meaning: 'Der Dienst hat für diese Anfrage keinen Speicher mehr ({{status}}). Versuche es später erneut.',
  },
  unreachable: {
    title: 'Der Dienst ist nicht erreichbar',
    meaning: `Ein Gateway konnte den Dienst nicht erreichen ({{status}}). ${mayHaveWorked}`,
  },
  server: {
    title: 'Fehler des Dienstes',
    meaning: `Der Dienst meldete einen Fehler ({{status}}). ${mayHaveWorked}`,
  },
  unassigned: {
    title: 'Unbekannter Status',
    meaning: 'Der Dienst antwortete mit einem Status, den HTTP nicht kennt ({{status}}).',
  },
}

export const problems = {
  storage: {
    title: 'Änderungen können nicht gespeichert werden',
    meaning: 'Bis dahin werden neue Antworten vielleicht nicht gespeichert.',
    action: 'Erneut versuchen',
  },
  kinds,
  statuses,
  inSettings,
  said: 'Der Dienst sagt: „{{message}}“',
  wait: 'Der Dienst bittet, {{seconds}} s zu warten.',
  kept: 'Die Antwort ist unvollständig. Was ankam, ist gespeichert.',
  facts: {},
}
