/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'Shell-Variablen',
  where: { continue: 'VS Code, JetBrains, Terminal' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'Als diese Datei speichern. Gibt es sie schon, füge die Zeilen vor dem ersten Abschnitt am Anfang ein und die Abschnitte am Ende.',
    eachTerminal: 'In jedem neuen Terminal ausführen, in deinem Projektordner.',
    envFile: 'Als diese Datei speichern. Gibt es sie schon, füge diese Werte unter „env“ ein.',
    run: 'In deinem Projektordner ausführen.',
    mergeFile: 'Als diese Datei speichern. Gibt es sie schon, füge den Text dort ein.',
    mergeSizes:
      'Als diese Datei speichern. Gibt es sie schon, füge den Text dort ein. Die Größen sind die des Modells, in Tokens.',
    runChoose: 'In deinem Projektordner ausführen und das Modell mit Ctrl+L auswählen.',
    runParts: 'In deinem Projektordner ausführen. goose nimmt die Adresse in zwei Teilen.',
    mergeList:
      'Als diese Datei speichern. Gibt es sie schon, füge den Eintrag zu ihrer Liste hinzu. Dein Editor lädt die Datei automatisch neu.',
    orRun: 'Oder in einem Terminal ausführen, in deinem Projektordner.',
    zedKey:
      'Zed speichert Schlüssel nicht in seinen Einstellungen: Starte es hiermit, oder gib den Schlüssel unter „LLM Providers“ ein.',
    shell:
      'In der Shell, die die App startet. Alles, was die offiziellen OpenAI-Bibliotheken nutzt, liest diese beiden.',
    streamed: 'Eine Antwort, die Stück für Stück ankommt.',
    python: 'Nach `pip install openai`, in einem Python-Programm.',
    onceKey: 'Einmal in einem Terminal ausführen, um den Schlüssel zu speichern.',
    llmModels: 'Zu extra-openai-models.yaml hinzufügen, in dem Ordner, den `dirname "$(llm logs path)"` ausgibt.',
    finally: 'Dann in einem Terminal ausführen.',
    module: 'Nach `npm install {{packages}}`, in einem Modul.',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}} liest die Änderung sofort.',
    nextSession: '{{name}} liest die Änderung beim nächsten Start.',
    restart: 'Starte {{name}} danach neu.',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'Der Schlüssel steht in dieser Datei.',
    environment: 'Der Schlüssel kommt aus dem Terminal, in dem du die App startest.',
    secretStore: 'Die App bewahrt Schlüssel in einem eigenen Speicher auf: Gib den App-Schlüssel dort ein.',
  },
  notes: {
    codex:
      'Codex fragt nach gpt-5.5, und die Modellzuordnung dieser App ersetzt es durch dein Modell. Das Kontextfenster ist das deines Modells, wenn es bekannt ist, sonst 128.000 Tokens. Keine Wiederholungen, denn Inference Studio wiederholt Anfragen, wo das sicher ist. Um dein OpenAI-Konto zu nutzen, starte Codex mit „codex -c model_provider=openai“.',
    claudeCode:
      'Für Subagenten und kleine Aufgaben fragt Claude Code nach Modellen wie claude-haiku-5-5, die die Modellzuordnung dieser App ersetzt. Das Kontextfenster ist das deines Modells, wenn es bekannt ist, sonst 128.000 Tokens. Keine Wiederholungen, denn Inference Studio wiederholt Anfragen, wo das sicher ist. Entferne ANTHROPIC_API_KEY aus deinem Terminal: Ein zweiter Schlüssel wird abgewiesen. Um wieder dein Anthropic-Konto zu nutzen, trenne die App, oder entferne diese Werte.',
    cline:
      'Wähle in der Erweiterung für VS Code „OpenAI Compatible“ als API-Anbieter, und gib dieselben drei Werte ein.',
    droid:
      'Droid funktioniert mit diesem Modell ohne Anmeldung beim eigenen Konto. Wähle das Modell in einer Sitzung mit /model.',
    geminiCli:
      'Wenn du dich schon einmal mit Google angemeldet hast, führe /auth aus und wähle „Use Gemini API Key“, oder entferne „selectedType“ aus ~/.gemini/settings.json. Für kleine Aufgaben fragt Gemini CLI nach Modellen wie gemini-3-flash, die die Modellzuordnung dieser App ersetzt.',
    vscode:
      'Braucht eine Version von VS Code, deren Chat-Ansicht Modelle eines „Custom Endpoint“ kennt. Wähle das Modell unter „Manage Models“. VS Code verschiebt den Schlüssel vielleicht aus dieser Datei in seinen eigenen geschützten Speicher.',
    ownRetries:
      '`maxRetries: 0`, weil Inference Studio schon selbst wiederholt: Zwei Schleifen würden sich multiplizieren.',
  },
}
