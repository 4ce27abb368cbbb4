/** Texts of the instructions for apps, which Local API shows. What a person pastes is in `features/proxy/setups/`. */
export const appSetups = {
  /** The only name that is not that of a product. */
  shellVariables: 'Variables de shell',
  where: { continue: 'VS Code, JetBrains, terminal' },
  /** What to do with the text of a step. */
  steps: {
    tomlFile:
      'Enregistrez ceci dans ce fichier. S’il existe déjà, ajoutez à son début les lignes situées avant la première section, et à sa fin les sections.',
    eachTerminal: 'Exécutez ceci dans chaque nouveau terminal, dans le dossier de votre projet.',
    envFile: 'Enregistrez ceci dans ce fichier. S’il existe déjà, ajoutez ces valeurs à son "env".',
    run: 'Exécutez ceci dans le dossier de votre projet.',
    mergeFile: 'Enregistrez ceci dans ce fichier. S’il existe déjà, fusionnez-y le texte.',
    mergeSizes:
      'Enregistrez ceci dans ce fichier. S’il existe déjà, fusionnez-y le texte. Les tailles sont celles du modèle, en tokens.',
    runChoose: 'Exécutez ceci dans le dossier de votre projet, et choisissez le modèle avec Ctrl+L.',
    runParts: 'Exécutez ceci dans le dossier de votre projet. goose prend l’adresse en deux parties.',
    mergeList:
      'Enregistrez ceci dans ce fichier. S’il existe déjà, ajoutez l’entrée à sa liste. Votre éditeur recharge le fichier automatiquement.',
    orRun: 'Ou exécutez ceci dans un terminal, dans le dossier de votre projet.',
    zedKey:
      'Zed ne met pas les clés dans ses réglages : démarrez-le avec ceci, ou saisissez la clé sous LLM Providers.',
    shell:
      'Dans le shell qui démarre l’app. Tout ce qui repose sur les bibliothèques officielles d’OpenAI lit ces deux variables.',
    streamed: 'Une réponse en flux, à mesure qu’elle arrive.',
    python: 'Après `pip install openai`, dans un programme Python.',
    onceKey: 'Exécutez ceci une fois dans un terminal pour enregistrer la clé.',
    llmModels: 'Ajoutez ceci à extra-openai-models.yaml, dans le dossier qu’affiche `dirname "$(llm logs path)"`.',
    finally: 'Exécutez ensuite ceci dans un terminal.',
    module: 'Après `npm install {{packages}}`, dans un module.',
  },
  /** When a change of its file takes effect. */
  takesEffect: {
    atOnce: '{{name}} lit la modification aussitôt.',
    nextSession: '{{name}} lit la modification à son prochain démarrage.',
    restart: 'Redémarrez ensuite {{name}}.',
  },
  /** Where the key is, when it is not in the file. */
  keyPlaces: {
    file: 'Sa clé est dans ce fichier.',
    environment: 'Il lit sa clé dans le terminal où vous le démarrez.',
    secretStore: 'Il conserve sa clé dans son propre stockage : saisissez-y la clé d’app.',
  },
  notes: {
    codex:
      'Codex demande gpt-5.5, que les correspondances de modèles de cette app remplacent par votre modèle. La fenêtre de contexte est celle de votre modèle si elle est connue, sinon 128 000 tokens. Pas de nouvel essai, car Inference Studio réessaie là où c’est sans risque. Pour utiliser votre compte OpenAI, démarrez-le avec « codex -c model_provider=openai ».',
    claudeCode:
      'Pour les sous-agents et les petites tâches, Claude Code demande des modèles tels que claude-haiku-5-5, que les correspondances de modèles de cette app remplacent. La fenêtre de contexte est celle de votre modèle si elle est connue, sinon 128 000 tokens. Pas de nouvel essai, car Inference Studio réessaie là où c’est sans risque. Supprimez la variable ANTHROPIC_API_KEY dans votre terminal : une deuxième clé est refusée. Pour réutiliser votre compte Anthropic, déconnectez Claude Code ou retirez ces valeurs.',
    cline:
      'Dans l’extension VS Code, choisissez « OpenAI Compatible » comme fournisseur d’API et saisissez les trois mêmes valeurs.',
    droid:
      'Droid fonctionne avec ce modèle sans connexion à son propre compte. Dans une session, choisissez le modèle avec /model.',
    geminiCli:
      'Si vous vous étiez connecté avec Google, exécutez /auth et choisissez « Use Gemini API Key », ou retirez "selectedType" de ~/.gemini/settings.json. Pour les petites tâches, Gemini CLI demande des modèles tels que gemini-3-flash, que les correspondances de modèles de cette app remplacent.',
    vscode:
      'Demande une version de VS Code dont la vue Chat propose des modèles d’un « Custom Endpoint ». Choisissez le modèle sous « Manage Models ». VS Code peut déplacer la clé de ce fichier vers son propre stockage de secrets.',
    ownRetries: '`maxRetries: 0`, car le studio réessaie déjà : deux boucles multiplieraient les tentatives.',
  },
}
