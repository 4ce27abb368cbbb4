const mayHaveWorked = 'La première tentative a peut-être déjà causé du travail et des frais.'

/** One entry for every kind. No text may say that nothing was charged. */
const kinds = {
  invalid_request: {
    title: 'Le service a rejeté cette requête',
    meaning: 'La requête n’est pas valide pour ce modèle (400). Modifiez-la avant de réessayer.',
    action: 'Modifier',
  },
  unauthorized: {
    title: 'Le service a rejeté cette clé API',
    meaning: 'La clé API n’est pas valide (401). Vérifiez-la dans les réglages.',
    action: 'Vérifier la clé',
  },
  insufficient_credits: {
    title: 'Crédits insuffisants',
    meaning:
      'Le compte n’a pas assez de SC pour cette requête (402). Ajoutez des crédits là où vous avez ouvert le compte, puis réessayez.',
    action: 'Réessayer',
  },
  forbidden: {
    title: 'Pas d’autorisation',
    meaning:
      'La clé API n’a pas l’autorisation nécessaire (403). Utilisez une autre clé ou adressez-vous au gestionnaire de votre compte.',
    action: 'Changer de clé',
  },
  not_found: {
    title: 'Modèle ou adresse introuvable',
    meaning:
      'Le service ne connaît pas ce modèle ou cette adresse (404). Choisissez un autre modèle, ou vérifiez l’URL de base dans les réglages.',
    action: 'Vérifier l’adresse',
  },
  rate_limited: {
    title: 'Trop de requêtes',
    meaning: 'Une limite de débit ou de capacité a été atteinte (429). Attendez un moment, puis réessayez.',
    action: 'Réessayer',
  },
  internal: {
    title: 'Erreur du service',
    meaning: `Le service a signalé une erreur interne (500). La requête n’a pas été renvoyée automatiquement. ${mayHaveWorked}`,
    action: 'Réessayer',
  },
  not_implemented: {
    title: 'Non pris en charge par le service',
    meaning: 'Le service ne propose pas cette fonction (501). Utilisez plutôt les discussions.',
    action: 'Ouvrir les discussions',
  },
  bad_gateway: {
    title: 'Le service n’a pas pu joindre son modèle',
    meaning: `Le service a eu une erreur de routage ou en amont (502). ${mayHaveWorked}`,
    action: 'Réessayer',
  },
  unavailable: {
    title: 'Le service est indisponible',
    meaning: `Le service demande de réessayer plus tard (503). ${mayHaveWorked}`,
    action: 'Réessayer',
  },
  gateway_timeout: {
    title: 'Le modèle a pris trop de temps',
    meaning: `Le service a cessé d’attendre le modèle (504). ${mayHaveWorked}`,
    action: 'Réessayer',
  },
  unexpected_status: {
    title: 'Réponse inattendue',
    meaning: 'Le service a répondu avec un statut que ce programme n’attendait pas.',
    action: 'Réessayer',
  },
  connect_failed: {
    title: 'Le service est injoignable',
    meaning: 'Rien ne répond à cette adresse. Vérifiez l’adresse et votre réseau.',
    action: 'Vérifier l’adresse',
  },
  connect_timeout: {
    title: 'Délai de connexion dépassé',
    meaning: 'L’adresse n’a pas accepté la connexion. Votre réseau est peut-être lent, ou un pare-feu la bloque.',
    action: 'Réessayer',
  },
  tls_failed: {
    title: 'Pas de connexion sécurisée',
    meaning: 'Le certificat du service n’a pas pu être vérifié. Rien n’a été envoyé. Vérifiez l’adresse.',
    action: 'Vérifier l’adresse',
  },
  headers_timeout: {
    title: 'Pas de réponse à temps',
    meaning: 'La requête a été envoyée, mais aucune réponse n’a commencé. Elle peut tout de même vous être facturée.',
    action: 'Réessayer',
  },
  idle_timeout: {
    title: 'La réponse s’est arrêtée',
    meaning: 'Plus aucun texte n’est arrivé. Réessayer demande une nouvelle réponse, qui coûte à nouveau.',
    action: 'Réessayer',
  },
  connection_lost: {
    title: 'La connexion a été perdue',
    meaning:
      'La connexion a pris fin avant que la réponse soit complète. La réponse peut tout de même vous être facturée.',
    action: 'Réessayer',
  },
  malformed_reply: {
    title: 'Réponse illisible',
    meaning:
      'La réponse ne correspond pas à son type de contenu. Le service présente peut-être une erreur, ou cette adresse n’est pas la sienne.',
    action: 'Réessayer',
  },
  incomplete_stream: {
    title: 'La réponse est incomplète',
    meaning: 'La réponse a pris fin sans motif de fin. Réessayer demande une nouvelle réponse, qui coûte à nouveau.',
    action: 'Réessayer',
  },
  foreign_address: {
    title: 'Adresse bloquée',
    meaning: 'Le service a indiqué un fichier hors de son URL de base. Votre clé n’y est pas envoyée.',
    action: 'Vérifier l’adresse',
  },
  cancelled: {
    title: 'Arrêtée',
    meaning: 'La requête a été annulée. Elle n’est pas renvoyée automatiquement.',
    action: 'Réessayer',
  },
  would_wait: {
    title: 'Non envoyée : il aurait fallu attendre',
    meaning: 'La file d’attente est occupée, et cette app a demandé à ne pas attendre. La requête n’a pas été envoyée.',
    action: 'Réessayer',
  },
  queue_full: {
    title: 'File d’attente pleine',
    meaning: 'Trop de requêtes attendent. Celle-ci n’a pas été envoyée. Attendez que quelques-unes soient terminées.',
    action: 'Réessayer',
  },
  queue_timeout: {
    title: 'Attente trop longue',
    meaning: 'La requête a attendu trop longtemps dans la file et n’a pas été envoyée.',
    action: 'Réessayer',
  },
  bad_input: {
    title: 'Vérifiez votre saisie',
    meaning: 'Une valeur manque ou n’est pas valide. Corrigez-la, puis réessayez.',
    action: 'Modifier',
  },
  not_connected: {
    title: 'Non connecté',
    meaning: 'Il n’y a pas de connexion, ou sa clé API manque. Connectez-vous dans les réglages.',
    action: 'Se connecter',
  },
  connection_changed: {
    title: 'La connexion a changé',
    meaning:
      'La requête n’a pas été envoyée, car la connexion a changé avant. Réessayez pour utiliser la nouvelle connexion.',
    action: 'Réessayer',
  },
  keychain_missing: {
    title: 'Pas de trousseau sur cet ordinateur',
    meaning: 'La clé ne peut pas être stockée. Elle ne peut servir que pour cette session.',
    action: 'Ouvrir les réglages',
  },
  keychain_locked: {
    title: 'Le trousseau est verrouillé',
    meaning: 'Déverrouillez le trousseau dans votre système, puis vérifiez à nouveau.',
    action: 'Vérifier à nouveau',
  },
  no_such_item: {
    title: 'Introuvable',
    meaning: 'Cet élément a été supprimé, ici ou dans une autre fenêtre.',
    action: 'Ouvrir les discussions',
  },
  busy: {
    title: 'Déjà en cours',
    meaning: 'La même opération est en cours. Attendez qu’elle se termine.',
    action: 'Réessayer',
  },
  folder_in_use: {
    title: 'Le dossier de données est occupé',
    meaning: 'Un autre Inference Studio l’utilise. Fermez d’abord celui-là.',
    action: 'Recharger',
  },
  store_newer: {
    title: 'Les données viennent d’une version plus récente',
    meaning:
      'Une version plus récente d’Inference Studio a écrit ces données. Mettez Inference Studio à jour. Rien n’a été modifié.',
    action: 'Copier les détails',
  },
  store_damaged: {
    title: 'Les données ne peuvent pas être lues',
    meaning: 'La base de données est endommagée. Faites d’abord une copie du dossier de données.',
    action: 'Afficher le dossier',
  },
  disk_full: {
    title: 'Le disque est plein',
    meaning: 'Plus rien ne peut être enregistré. Libérez de l’espace, puis réessayez.',
    action: 'Afficher le dossier',
  },
  not_writable: {
    title: 'Pas d’autorisation d’écriture',
    meaning:
      'Inference Studio ne peut pas écrire dans ce dossier. Donnez un accès en écriture à votre compte d’utilisateur, puis réessayez.',
    action: 'Afficher le dossier',
  },
  too_many_open_files: {
    title: 'Trop de fichiers ouverts',
    meaning:
      'Inference Studio ne peut pas ouvrir plus de fichiers pour l’instant. Fermez d’autres programmes, puis réessayez.',
    action: 'Réessayer',
  },
  database_locked: {
    title: 'La base de données est verrouillée',
    meaning:
      'Un autre programme, par exemple un navigateur de bases de données, l’a verrouillée. Fermez ce programme, puis réessayez.',
    action: 'Réessayer',
  },
  port_taken: {
    title: 'Le port est occupé',
    meaning: 'Un autre programme utilise ce port. Choisissez un autre port dans les réglages.',
    action: 'Changer de port',
  },
  bug: {
    title: 'Erreur interne',
    meaning:
      'Quelque chose s’est mal passé dans Inference Studio, et non du côté du service. Les détails aident à en trouver la cause.',
    action: 'Copier les détails',
  },
}

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'La clé API n’est pas valide (401). Saisissez-la à nouveau, ou utilisez-en une autre.',
  not_found: 'Le service ne connaît pas ce modèle ou cette adresse (404). Vérifiez l’URL de base.',
  not_connected: 'Il n’y a pas de connexion, ou sa clé API manque.',
  port_taken: 'Un autre programme utilise ce port. Choisissez un autre port.',
}

/** Texts for `unexpected_status`, by what the status calls for. */
const statuses = {
  informational: {
    title: 'Pas de réponse finale',
    meaning: `Le service a envoyé une réponse provisoire sans réponse finale ({{status}}). ${mayHaveWorked}`,
  },
  empty: {
    title: 'Réponse sans contenu',
    meaning: 'Le service a répondu sans le contenu attendu ({{status}}).',
  },
  redirect: {
    title: 'Le service redirige ailleurs',
    meaning:
      'Le service a répondu par une redirection ({{status}}). La clé n’est pas envoyée ailleurs : vérifiez l’URL de base.',
  },
  method: {
    title: 'Impossible à cette adresse',
    meaning:
      'Le service n’accepte pas ce type de requête à cette adresse ({{status}}). Vérifiez l’URL de base dans les réglages.',
  },
  format: {
    title: 'Format non accepté',
    meaning: 'Le service n’accepte pas le format de cette requête ({{status}}). Utilisez un autre format.',
  },
  proxy: {
    title: 'Le réseau vous demande de vous connecter',
    meaning:
      'Un réseau ou un proxy situé entre cet ordinateur et le service vous demande de vous connecter ({{status}}). Connectez-vous au réseau, puis réessayez.',
  },
  timeout: {
    title: 'La requête a mis trop de temps à arriver',
    meaning: 'Le service n’a pas reçu la requête entière à temps ({{status}}). Vérifiez votre réseau, puis réessayez.',
  },
  conflict: {
    title: 'Conflit du côté du service',
    meaning:
      'Le service a signalé un conflit avec une autre requête ou avec son état actuel ({{status}}). Réessayez dans un moment.',
  },
  gone: {
    title: 'Plus disponible',
    meaning:
      'Cette adresse ou ce modèle n’existe plus dans le service ({{status}}). Choisissez un autre modèle, ou vérifiez l’URL de base dans les réglages.',
  },
  length: {
    title: 'Longueur requise',
    meaning: 'Le service doit connaître la longueur d’une requête avant qu’elle arrive ({{status}}).',
  },
  tooLarge: {
    title: 'Trop volumineuse pour le service',
    meaning:
      'La requête est plus volumineuse que ce que le service accepte ({{status}}). Réduisez-la ou divisez-la avant de réessayer.',
  },
  addressTooLong: {
    title: 'Adresse trop longue',
    meaning: 'L’adresse de la requête est plus longue que ce que le service accepte ({{status}}).',
  },
  range: {
    title: 'Partie non disponible',
    meaning: 'Le service n’a pas la partie demandée du fichier ({{status}}).',
  },
  unprocessable: {
    title: 'Le service ne peut pas traiter cette requête',
    meaning:
      'Le service a compris la requête, mais ne peut pas la traiter ({{status}}). Modifiez-la avant de réessayer.',
  },
  joke: {
    title: 'Le service a refusé cette requête',
    meaning: 'Le service a refusé la requête : « Je suis une théière » ({{status}}).',
  },
  wrongHost: {
    title: 'Mauvais serveur',
    meaning:
      'La requête est arrivée à un serveur qui n’est pas responsable de cette adresse ({{status}}). Vérifiez l’URL de base dans les réglages.',
  },
  early: {
    title: 'Trop tôt',
    meaning: 'Le service ne veut pas encore traiter la requête ({{status}}). Réessayez dans un moment.',
  },
  upgrade: {
    title: 'Un autre protocole est nécessaire',
    meaning:
      'Le service demande un autre protocole ou une version plus récente ({{status}}). Vérifiez l’URL de base dans les réglages.',
  },
  headersTooLarge: {
    title: 'En-têtes trop volumineux',
    meaning: 'Les en-têtes de la requête sont plus volumineux que ce que le service accepte ({{status}}).',
  },
  legal: {
    title: 'Non disponible pour des raisons légales',
    meaning: 'Le service n’a pas le droit de répondre à cette requête, pour des raisons légales ({{status}}).',
  },
  client: {
    title: 'Le service a refusé cette requête',
    meaning: 'Le service a refusé la requête ({{status}}). Modifiez-la avant de réessayer.',
  },
  storage: {
    title: 'Le service n’a plus d’espace',
    meaning: 'Le service n’a plus d’espace de stockage pour cette requête ({{status}}). Réessayez plus tard.',
  },
  unreachable: {
    title: 'Le service est injoignable',
    meaning: `Une passerelle n’a pas pu joindre le service ({{status}}). ${mayHaveWorked}`,
  },
  server: {
    title: 'Erreur du service',
    meaning: `Le service a signalé une erreur ({{status}}). ${mayHaveWorked}`,
  },
  unassigned: {
    title: 'Statut inconnu',
    meaning: 'Le service a répondu avec un statut que HTTP ne définit pas ({{status}}).',
  },
}

export const problems = {
  storage: {
    title: 'Enregistrement impossible',
    meaning: 'D’ici là, les nouvelles réponses risquent de ne pas être enregistrées.',
    action: 'Réessayer',
  },
  kinds,
  statuses,
  inSettings,
  said: 'Le service indique : « {{message}} »',
  wait: 'Le service demande d’attendre {{seconds}} s.',
  kept: 'La réponse est incomplète. Ce qui est arrivé est enregistré.',
  facts: {},
}
