/** Texts of alerts. Each crossing of a threshold creates one alert. */
export const alerts = {
  title: 'Alertes',
  bell_one: '{{count}} alerte',
  bell_many: '{{count}} alertes',
  bell_other: '{{count}} alertes',
  bellNone: 'Aucune alerte',
  news: 'Alerte : {{title}}',
  empty: 'Aucune alerte',
  emptyAbout: 'Les alertes sur le solde, les budgets, les limites et votre clé API s’affichent ici.',
  dismiss: 'Masquer : {{title}}',
  dismissAll: 'Tout masquer',
  setUp: 'Configurer les alertes',
  ended: 'fin : {{at}}',
  failed: 'Échec : {{message}}',
  go: {
    usage: 'Ouvrir l’utilisation',
    limits: 'Ouvrir les limites',
    session: 'Ouvrir la session',
    keys: 'Ouvrir les clés',
    proxy: 'Ouvrir l’API locale',
    settings: 'Ouvrir les connexions',
  },
  balance: {
    title: 'Solde inférieur à {{below}} SC',
    body: 'Reste {{balance}} SC sur le compte. Actualisé : {{at}}.',
  },
  spend: {
    title: 'Plus de {{above}} SC dépensés en un jour',
    service: '{{spent}} SC, {{day}} (UTC), selon le service.',
    here: '{{spent}} SC, {{day}} (UTC), selon cet ordinateur.',
  },
  budget: {
    near: '{{app}} : budget presque épuisé',
    short: '{{app}} : budget insuffisant pour une autre requête',
    usedUp: '{{app}} : budget épuisé',
    day: '{{spent}} sur {{budget}} SC par jour.',
    month: '{{spent}} sur {{budget}} SC par mois.',
    total: '{{spent}} sur {{budget}} SC au total.',
    refused: 'Les requêtes de cette app sont refusées.',
    asks: 'Les requêtes suivantes de cette app attendent votre réponse.',
    tooSmall: 'Une requête a été refusée, car elle pourrait coûter plus que ce qui reste.',
    usual: 'Reste {{left}} SC. Sa requête habituelle coûte {{usual}} SC est.',
  },
  busy: {
    title: '{{app}} est très active',
    body_one: '{{count}} requête et {{spent}} SC au cours de la dernière heure.',
    body_many: '{{count}} requêtes et {{spent}} SC au cours de la dernière heure.',
    body_other: '{{count}} requêtes et {{spent}} SC au cours de la dernière heure.',
  },
  tokens: {
    title: '{{app}} : limite de tokens trop basse',
    body_one:
      'Sa requête habituelle utilise {{count}} token, et sa limite est de {{limit}} par minute. De telles requêtes sont refusées.',
    body_many:
      'Sa requête habituelle utilise {{count}} tokens, et sa limite est de {{limit}} par minute. De telles requêtes sont refusées.',
    body_other:
      'Sa requête habituelle utilise {{count}} tokens, et sa limite est de {{limit}} par minute. De telles requêtes sont refusées.',
  },
  app: {
    paused: '{{app}} est en pause',
    expired: 'La clé de {{app}} a expiré',
    body: 'Une requête de cette app a été refusée.',
  },
  cache: {
    title_one: '{{app}} a perdu le cache pendant {{count}} tour',
    title_many: '{{app}} a perdu le cache pendant {{count}} tours de suite',
    title_other: '{{app}} a perdu le cache pendant {{count}} tours de suite',
    body_one:
      '{{count}} token de sa dernière requête ne venait pas du cache, ce qui a coûté {{cost}} SC de plus. {{advice}}',
    body_many:
      '{{count}} tokens de sa dernière requête ne venaient pas du cache, ce qui a coûté {{cost}} SC de plus. {{advice}}',
    body_other:
      '{{count}} tokens de sa dernière requête ne venaient pas du cache, ce qui a coûté {{cost}} SC de plus. {{advice}}',
    bodyUnpriced_one: '{{count}} token de sa dernière requête ne venait pas du cache. {{advice}}',
    bodyUnpriced_many: '{{count}} tokens de sa dernière requête ne venaient pas du cache. {{advice}}',
    bodyUnpriced_other: '{{count}} tokens de sa dernière requête ne venaient pas du cache. {{advice}}',
  },
  key: {
    low: {
      title: 'Le solde de la clé API est bas',
      body: 'Reste {{left}} sur {{limit}} SC. À 0 SC, le service refuse ses requêtes.',
    },
    empty: {
      title: 'Le solde de la clé API est épuisé',
      body: 'Le service refuse les requêtes payantes tant que vous n’avez pas ajouté de crédits à la clé.',
    },
    revoked: {
      title: 'La clé API a été révoquée',
      body: 'Le service la refusera. Saisissez une autre clé dans les réglages.',
    },
    refused: {
      title: 'Le service a rejeté la clé API',
      body: 'Le service a répondu 401. Vérifiez la clé dans les réglages.',
    },
    credits: {
      title: 'Les crédits sont épuisés',
      body: 'Le service a répondu 402. Ajoutez des crédits pour continuer.',
    },
    forbidden: {
      title: 'Le service a refusé l’accès',
      body: 'Le service a répondu 403 : cette clé n’est pas autorisée à faire cette requête.',
    },
    named: 'Clé : {{name}}',
  },
  ban: {
    title: 'Le service bloque les requêtes',
    until: 'Fin : {{until}}.',
    open: 'Le service n’indique pas jusqu’à quand.',
  },
  settings: {
    balance: 'Solde inférieur à',
    balanceHint: 'Solde du compte indiqué par le service, en SC, son unité de crédit. Laissez vide pour désactiver.',
    spend: 'Dépenses du jour supérieures à',
    spendHint:
      'Par jour UTC, en SC : le plus élevé du chiffre du service et de celui de cet ordinateur. Laissez vide pour désactiver.',
    unit: 'SC',
    amountBad: 'Saisissez un montant supérieur à 0, par exemple 2,50.',
    budgets: 'Apps',
    budgetsHint:
      'Quand une app approche de son budget ou l’a épuisé, quand une limite est trop basse pour sa requête habituelle, et quand une app en pause ou expirée envoie une requête.',
    budgetAt: 'Proche du budget, en %',
    budgetAtHint: 'Avertir quand cette part d’un budget est dépensée : de 1 à 99.',
    budgetAtBad: 'Saisissez un nombre entier de 1 à 99.',
    key: 'Clé API',
    keyHint: 'Quand le solde de la clé est bas, ou que la clé est révoquée ou rejetée.',
    ban: 'Blocage par le service',
    banHint: 'Quand le service bloque temporairement vos requêtes. L’alerte indique jusqu’à quand.',
    cache: 'Cache perdu',
    cacheHint:
      'Quand une app perd le cache du service pendant trois tours de suite, ce qui rend ses requêtes plus chères.',
    notify: 'Notifications du système',
    notifyHint: 'Elles contiennent des chiffres et des noms d’apps et de modèles, jamais une clé ni un message.',
    browser: 'Notifications du navigateur',
    browserHint:
      'Affichées tant que cette page est ouverte. Elles contiennent des chiffres et des noms d’apps et de modèles, jamais une clé ni un message.',
    browserDenied: 'Le navigateur bloque les notifications de cette page. Autorisez-les dans la barre d’adresse.',
    browserMissing: 'Ce navigateur ne prend pas en charge les notifications.',
    try: 'Envoyer un test',
    notifyFailed: 'La notification de test n’a pas été affichée. {{reason}}',
    tried: 'Ceci est une alerte de test.',
    notShown: 'La notification n’a pas pu être affichée.',
  },
}
