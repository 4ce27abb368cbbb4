/** Texts of the gallery of MCP servers in Settings. */
export const mcpGallery = {
  title: 'Galerie der MCP-Server',
  about:
    'Bekannte Server. Nichts wird installiert oder gestartet, bevor du den Befehl gesehen und den Server hinzugefügt hast.',
  addTitle: '{{name}} hinzufügen',
  may: 'Was er darf',
  needs: 'Was er braucht',
  source: 'Quelle',
  needed: {
    node: 'Node.js mit npx auf diesem Computer. Beim ersten Start wird das Paket aus dem Verzeichnis von npm geladen.',
    uv: 'uv mit uvx auf diesem Computer. Beim ersten Start wird das Paket von PyPI geladen.',
  },
  exact: 'Genauer Befehl oder genaue Adresse',
  withEnv: 'Mit der Variable {{names}}, gespeichert im Schlüsselbund, falls es einen gibt.',
  withHeaders: 'Mit dem Header {{names}}, gespeichert im Schlüsselbund, falls es einen gibt.',
  starts: 'Dieser Server ist ein Programm',
  connects: 'Dieser Server ist eine Webadresse',
  warnHttp: 'Alles, was das Modell in einen Aufruf schreibt, wird dorthin gesendet.',
  back: 'Zurück zur Galerie',
  addOff: 'Ausgeschaltet hinzufügen',
  addOn: 'Hinzufügen und einschalten',
  fields: { url: 'Adresse', secret: 'Schlüssel', folders: 'Ordner, einer pro Zeile' },
  hints: {
    url: 'Die Adresse deiner SearXNG-Instanz.',
    secret:
      'Im Schlüsselbund gespeichert, ohne Schlüsselbund nur bis zum Ende von Inference Studio. Nur dieser Server bekommt ihn, und er wird nie wieder angezeigt.',
    folders: 'Vollständige Pfade. Der Server erreicht diese Ordner und alles darin.',
  },
  fault: {
    empty: 'Gib einen Wert ein.',
    url: 'Gib eine Adresse ein, die mit https:// oder http:// beginnt.',
    path: 'Gib vollständige Pfade ein, zum Beispiel /home/ada/notes oder C:\\Notes.',
    token: 'Ein Schlüssel hat keine Leerzeichen und keine Sonderzeichen.',
  },
  servers: {
    searxng: {
      about: 'Durchsucht das Web mit deiner eigenen SearXNG-Instanz und liest Seiten.',
      may: 'Sendet Suchbegriffe an deine Instanz und ruft jede Webseite ab, die das Modell verlangt.',
      needs: 'Eine SearXNG-Instanz, in der das Format JSON eingeschaltet ist.',
    },
    brave: {
      about: 'Sucht mit Brave Search im Web, nach Bildern, Nachrichten und Orten.',
      may: 'Sendet Suchbegriffe an Brave, das sie deinem Konto berechnen kann.',
      needs: 'Ein API-Schlüssel von Brave Search.',
    },
    fetch: {
      about: 'Liest Webseiten als Markdown.',
      may: 'Ruft jede Adresse ab, die das Modell verlangt, auch in deinem eigenen Netz.',
      needs: 'Weder Schlüssel noch Konto.',
    },
    filesystem: {
      about: 'Liest, durchsucht und ändert Dateien in Ordnern, die du auswählst.',
      may: 'Liest, erstellt, ändert, verschiebt und überschreibt Dateien in diesen Ordnern. Er beschränkt sich selbst auf sie.',
      needs: 'Ein oder mehrere Ordner. Wähle keinen mit Geheimnissen.',
    },
    github: {
      about: 'Repositorys, Issues, Pull Requests und Workflows auf GitHub.',
      may: 'Alles, was dein Token darf. Verwende ein „fine-grained token“ mit wenigen Rechten.',
      needs: 'Ein persönliches Zugriffstoken von GitHub.',
    },
    playwright: {
      about: 'Öffnet ein Browserfenster, das vom Modell gesteuert wird.',
      may: 'Öffnet jede Seite, füllt Formulare aus, lädt Dateien hoch und herunter, in einem Profil ohne deine Anmeldungen. Eines seiner Werkzeuge führt beliebigen Code auf diesem Computer aus.',
      needs: 'Ein Chrome-Browser auf diesem Computer.',
    },
  },
}
