/** Texts of the gallery of MCP servers in Settings. */
export const mcpGallery = {
  title: 'Galerie de serveurs MCP',
  about:
    'Des serveurs bien connus. Rien n’est installé ni démarré avant que vous ayez vu la commande et ajouté le serveur.',
  addTitle: 'Ajouter {{name}}',
  may: 'Ce qu’il peut faire',
  needs: 'Ce qu’il lui faut',
  source: 'Source',
  needed: {
    node: 'Node.js avec npx sur cet ordinateur. Le premier démarrage télécharge le paquet depuis le registre npm.',
    uv: 'uv avec uvx sur cet ordinateur. Le premier démarrage télécharge le paquet depuis PyPI.',
  },
  exact: 'Commande ou adresse exacte',
  withEnv: 'Avec la variable {{names}}, stockée dans le trousseau s’il y en a un.',
  withHeaders: 'Avec l’en-tête {{names}}, stocké dans le trousseau s’il y en a un.',
  starts: 'Ce serveur est un programme',
  connects: 'Ce serveur est une adresse web',
  warnHttp: 'Tout ce que le modèle met dans un appel y est envoyé.',
  back: 'Retour à la galerie',
  addOff: 'Ajouter sans activer',
  addOn: 'Ajouter et activer',
  fields: { url: 'Adresse', secret: 'Clé', folders: 'Dossiers, un par ligne' },
  hints: {
    url: 'L’adresse de votre instance SearXNG.',
    secret:
      'Stockée dans le trousseau ou, s’il n’y en a pas, jusqu’à la fermeture d’Inference Studio. Transmise à ce seul serveur et jamais réaffichée.',
    folders: 'Chemins complets. Le serveur a accès à ces dossiers et à tout ce qu’ils contiennent.',
  },
  fault: {
    empty: 'Saisissez une valeur.',
    url: 'Saisissez une adresse qui commence par https:// ou http://.',
    path: 'Saisissez des chemins complets, par exemple /home/ada/notes ou C:\\Notes.',
    token: 'Une clé n’a ni espaces ni caractères spéciaux.',
  },
  servers: {
    searxng: {
      about: 'Recherche sur le web avec votre propre instance SearXNG et lit des pages.',
      may: 'Envoie les termes recherchés à votre instance et récupère toute page web que le modèle demande.',
      needs: 'Une instance SearXNG avec le format JSON activé.',
    },
    brave: {
      about: 'Recherche des pages web, des images, des actualités et des lieux avec Brave Search.',
      may: 'Envoie les termes recherchés à Brave, qui peut les facturer à votre compte.',
      needs: 'Une clé API de Brave Search.',
    },
    fetch: {
      about: 'Lit des pages web en Markdown.',
      may: 'Récupère toute adresse que le modèle demande, y compris dans votre propre réseau.',
      needs: 'Ni clé ni compte.',
    },
    filesystem: {
      about: 'Lit, recherche et modifie des fichiers dans les dossiers que vous choisissez.',
      may: 'Lit, crée, modifie, déplace et remplace des fichiers dans ces dossiers. Il s’y limite de lui-même.',
      needs: 'Un ou plusieurs dossiers. N’en choisissez aucun qui contienne des secrets.',
    },
    github: {
      about: 'Dépôts, tickets, pull requests et workflows sur GitHub.',
      may: 'Tout ce que votre jeton permet. Utilisez un jeton « fine-grained » avec peu d’autorisations.',
      needs: 'Un jeton d’accès personnel GitHub.',
    },
    playwright: {
      about: 'Ouvre une fenêtre de navigateur que le modèle contrôle.',
      may: 'Ouvre toute page, remplit des formulaires, envoie et télécharge des fichiers, dans un profil où vous n’êtes connecté nulle part. L’un de ses outils exécute n’importe quel code sur cet ordinateur.',
      needs: 'Un navigateur Chrome sur cet ordinateur.',
    },
  },
}
