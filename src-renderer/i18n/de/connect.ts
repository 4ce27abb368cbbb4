export const connect = {
  name: 'Name',
  namePlaceholder: 'Optional',
  nameTaken: 'Eine andere Verbindung heißt schon „{{name}}“.',
  switch: {
    failed: '{{name}} lässt sich nicht nutzen, deshalb bleibt die bisherige Verbindung aktiv. {{why}}',
    settings: 'Einstellungen öffnen',
  },
  baseUrl: 'Basis-URL',
  baseUrlHint: 'Mit oder ohne /v1 am Ende.',
  baseUrlBad: 'Das ist keine Webadresse. Ein Beispiel: https://api.example.com/v1',
  baseUrlCredentials: 'Entferne Benutzername und Passwort aus der Adresse.',
  changed: {
    scheme: '{{text}} wurde ergänzt.',
    path: '{{text}} wurde entfernt, weil es nicht zur Basis-URL gehört.',
    query: '{{text}} wurde entfernt.',
  },
  key: 'API-Schlüssel',
  keyHint:
    'Lass das Feld leer, wenn der Dienst keinen Schlüssel braucht. Der Schlüssel wird verschlüsselt, bevor er diese Seite verlässt.',
  keyStorage: 'Schlüssel speichern',
  saveInKeychain: 'Im Schlüsselbund',
  saveInKeyFile: 'In der Schlüsseldatei',
  saveForSession: 'Nur bis zum Beenden',
  saveInKeychainHint: 'Für das nächste Mal im Schlüsselbund deines Betriebssystems gespeichert.',
  saveInKeyFileHint: 'Für das nächste Mal in {{path}} gespeichert.',
  saveForSessionHint: 'Nur im Arbeitsspeicher. Nach einem Neustart gibst du ihn erneut ein.',
  noKeychain: '{{reason}} Der Schlüssel lässt sich nur bis zum Beenden speichern.',
  noKeychainReason: 'Auf diesem Computer ist kein Schlüsselbund verfügbar.',
  insecure: 'Meinen Schlüssel unverschlüsselt an diese Adresse senden',
  insecureWhy:
    'Einfaches http zu einem anderen Computer ist nicht verschlüsselt: Alle auf dem Weg durchs Netz können den Schlüssel lesen. Nimm https, wenn der Dienst es anbietet.',
  test: 'Prüfen',
  testing: 'Wird geprüft …',
  connect: 'Verbinden',
  connecting: 'Wird verbunden …',
  works: 'Verbindung funktioniert',
  worksModels_one: 'Der Dienst unter {{baseUrl}} bietet {{count}} Modell an.',
  worksModels_other: 'Der Dienst unter {{baseUrl}} bietet {{count}} Modelle an.',
  worksKey: 'Schlüssel: {{key}}.',
  /** Why a connection test failed. Shown beside the field to correct. */
  cause: {
    dns: 'Kein Server hat diesen Namen ({{code}}). Prüfe die Schreibweise und dein Netz.',
    refused:
      'Unter dieser Adresse nimmt kein Server Verbindungen an ({{code}}). Starte den Dienst, oder prüfe den Port.',
    route: 'Dieser Computer hat keine Route zu dieser Adresse ({{code}}). Prüfe dein Netz.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet. Prüfe die Adresse, dein Netz und Firewalls.',
    tls: 'Das Zertifikat des Servers lässt sich nicht prüfen ({{code}}), deshalb wurde nichts gesendet.',
    noTls:
      'Der Server verwendet unter dieser Adresse kein https ({{code}}), deshalb wurde nichts gesendet. Prüfe den Port, oder versuche http://.',
    notAnApi: 'Unter dieser Adresse antwortet ein Server, aber nicht als Inferenz-API. Prüfe den Pfad.',
    keyRejected:
      'Der Dienst hat diesen API-Schlüssel abgelehnt (401). Prüfe, ob er vollständig ist und zu diesem Dienst gehört.',
    keyMissing: 'Dieser Dienst braucht einen API-Schlüssel (401).',
    keyForbidden: 'Dieser API-Schlüssel hat keine Berechtigung, Modelle aufzulisten (403).',
  },
}
