/** Texts of alerts. Each crossing of a threshold creates one alert. */
export const alerts = {
  title: 'Warnungen',
  bell_one: '{{count}} Warnung',
  bell_other: '{{count}} Warnungen',
  bellNone: 'Keine Warnungen',
  news: 'Warnung: {{title}}',
  empty: 'Keine Warnungen',
  emptyAbout: 'Hier erscheinen Warnungen zu Guthaben, Budgets, Limits und deinem API-Schlüssel.',
  dismiss: 'Ausblenden: {{title}}',
  dismissAll: 'Alle ausblenden',
  setUp: 'Warnungen einrichten',
  ended: 'beendet {{at}}',
  failed: 'Fehlgeschlagen: {{message}}',
  go: {
    usage: 'Nutzung öffnen',
    limits: 'Limits öffnen',
    session: 'Sitzung öffnen',
    keys: 'Schlüssel öffnen',
    proxy: 'Lokale API öffnen',
    settings: 'Verbindungen öffnen',
  },
  balance: {
    title: 'Guthaben unter {{below}} SC',
    body: 'Noch {{balance}} SC auf dem Konto. Aktualisiert {{at}}.',
  },
  spend: {
    title: 'Mehr als {{above}} SC an einem Tag ausgegeben',
    service: '{{spent}} SC am {{day}} (UTC), vom Dienst gemeldet.',
    here: '{{spent}} SC am {{day}} (UTC), auf diesem Computer gezählt.',
  },
  budget: {
    near: '{{app}}: Budget fast aufgebraucht',
    short: '{{app}}: Budget reicht nicht für eine weitere Anfrage',
    usedUp: '{{app}}: Budget aufgebraucht',
    day: '{{spent}} von {{budget}} SC pro Tag.',
    month: '{{spent}} von {{budget}} SC pro Monat.',
    total: '{{spent}} von {{budget}} SC insgesamt.',
    refused: 'Anfragen dieser App werden abgewiesen.',
    asks: 'Weitere Anfragen dieser App warten auf deine Antwort.',
    tooSmall: 'Eine Anfrage wurde abgewiesen, weil sie mehr kosten kann, als übrig ist.',
    usual: '{{left}} SC sind übrig. Eine übliche Anfrage dieser App kostet {{usual}} SC (geschätzt).',
  },
  busy: {
    title: '{{app}} ist sehr aktiv',
    body_one: 'Anfragen in der letzten Stunde: {{count}}. Kosten: {{spent}} SC.',
    body_other: 'Anfragen in der letzten Stunde: {{count}}. Kosten: {{spent}} SC.',
  },
  tokens: {
    title: '{{app}}: Token-Limit zu niedrig',
    body_one:
      'Eine übliche Anfrage dieser App braucht {{count}} Token, ihr Limit beträgt {{limit}} pro Minute. Solche Anfragen werden abgewiesen.',
    body_other:
      'Eine übliche Anfrage dieser App braucht {{count}} Tokens, ihr Limit beträgt {{limit}} pro Minute. Solche Anfragen werden abgewiesen.',
  },
  app: {
    paused: '{{app}} ist pausiert',
    expired: 'Der Schlüssel von {{app}} ist abgelaufen',
    body: 'Eine Anfrage dieser App wurde abgewiesen.',
  },
  cache: {
    title_one: '{{app}} hat den Cache {{count}}-mal verloren',
    title_other: '{{app}} hat den Cache {{count}}-mal in Folge verloren',
    body_one: '{{count}} Token der letzten Anfrage kam nicht aus dem Cache. Das kostete {{cost}} SC mehr. {{advice}}',
    body_other:
      '{{count}} Tokens der letzten Anfrage kamen nicht aus dem Cache. Das kostete {{cost}} SC mehr. {{advice}}',
    bodyUnpriced_one: '{{count}} Token der letzten Anfrage kam nicht aus dem Cache. {{advice}}',
    bodyUnpriced_other: '{{count}} Tokens der letzten Anfrage kamen nicht aus dem Cache. {{advice}}',
  },
  key: {
    low: {
      title: 'Das Guthaben des API-Schlüssels ist niedrig',
      body: 'Noch {{left}} von {{limit}} SC übrig. Bei 0 SC lehnt der Dienst Anfragen mit diesem Schlüssel ab.',
    },
    empty: {
      title: 'Das Guthaben des API-Schlüssels ist aufgebraucht',
      body: 'Der Dienst lehnt kostenpflichtige Anfragen ab, bis du das Guthaben des Schlüssels auflädst.',
    },
    revoked: {
      title: 'Der API-Schlüssel wurde widerrufen',
      body: 'Der Dienst wird ihn ablehnen. Gib in den Einstellungen einen anderen Schlüssel ein.',
    },
    refused: {
      title: 'Der Dienst hat den API-Schlüssel abgelehnt',
      body: 'Der Dienst antwortete mit 401. Prüfe den Schlüssel in den Einstellungen.',
    },
    credits: {
      title: 'Das Guthaben ist aufgebraucht',
      body: 'Der Dienst antwortete mit 402. Lade Guthaben auf, um fortzufahren.',
    },
    forbidden: {
      title: 'Der Dienst hat den Zugriff verweigert',
      body: 'Der Dienst antwortete mit 403: Dieser Schlüssel hat keine Berechtigung für die Anfrage.',
    },
    named: 'Schlüssel: {{name}}',
  },
  ban: {
    title: 'Der Dienst sperrt Anfragen',
    until: 'Bis {{until}}.',
    open: 'Der Dienst sagt nicht, bis wann.',
  },
  settings: {
    balance: 'Guthaben unter',
    balanceHint:
      'Guthaben des Kontos, wie der Dienst es meldet, in SC, seiner Abrechnungseinheit. Leer lassen, um die Warnung auszuschalten.',
    spend: 'Tagesausgaben über',
    spendHint:
      'Pro UTC-Tag, in SC: der größere Wert von dem, was der Dienst meldet, und dem, was dieser Computer zählt. Leer lassen, um die Warnung auszuschalten.',
    unit: 'SC',
    amountBad: 'Gib einen Betrag über 0 ein, etwa 2,50.',
    budgets: 'Apps',
    budgetsHint:
      'Wenn eine App ihr Budget fast oder ganz aufgebraucht hat, wenn ein Limit für ihre übliche Anfrage zu klein ist und wenn eine pausierte oder abgelaufene App eine Anfrage sendet.',
    budgetAt: 'Budget fast aufgebraucht ab, %',
    budgetAtHint: 'Ab welchem ausgegebenen Anteil eines Budgets gewarnt wird: 1 bis 99.',
    budgetAtBad: 'Gib eine ganze Zahl von 1 bis 99 ein.',
    key: 'API-Schlüssel',
    keyHint: 'Wenn das Guthaben des Schlüssels niedrig ist oder der Schlüssel widerrufen oder abgelehnt wird.',
    ban: 'Vom Dienst gesperrt',
    banHint: 'Wenn der Dienst deine Anfragen eine Zeit lang sperrt. Die Warnung sagt, bis wann.',
    cache: 'Verlorener Cache',
    cacheHint: 'Wenn eine App den Cache des Dienstes dreimal in Folge verliert, sodass ihre Anfragen mehr kosten.',
    notify: 'Mitteilungen des Systems',
    notifyHint: 'Sie enthalten Zahlen und Namen von Apps und Modellen, nie einen Schlüssel oder eine Nachricht.',
    browser: 'Mitteilungen im Browser',
    browserHint:
      'Erscheinen, solange diese Seite geöffnet ist. Sie enthalten Zahlen und Namen von Apps und Modellen, nie einen Schlüssel oder eine Nachricht.',
    browserDenied: 'Der Browser blockiert Mitteilungen für diese Seite. Erlaube sie in der Adressleiste.',
    browserMissing: 'Dieser Browser unterstützt keine Mitteilungen.',
    try: 'Test senden',
    notifyFailed: 'Die Testmitteilung wurde nicht angezeigt. {{reason}}',
    tried: 'Das ist eine Testwarnung.',
    notShown: 'Die Mitteilung konnte nicht angezeigt werden.',
  },
}
