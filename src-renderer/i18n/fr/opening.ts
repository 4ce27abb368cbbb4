/** Texts of the page that replaces the window while the data is checked, repaired or updated at start-up. */
export const opening = {
  starting: 'Préparation de vos données…',
  checking: {
    studio: 'Vérification de vos discussions et médias…',
    ledger: 'Vérification du journal des requêtes…',
    bodies: 'Vérification des requêtes enregistrées…',
    account: 'Vérification des relevés du compte…',
  },
  mending: {
    studio: 'Réparation de vos discussions et médias…',
    ledger: 'Réparation du journal des requêtes…',
    bodies: 'Réparation des requêtes enregistrées…',
    account: 'Réparation des relevés du compte…',
  },
  updating: {
    studio: 'Mise à jour de vos discussions et médias…',
    ledger: 'Mise à jour du journal des requêtes…',
    bodies: 'Mise à jour des requêtes enregistrées…',
    account: 'Mise à jour des relevés du compte…',
  },
  waiting: {
    studio: 'En attente : un autre programme a verrouillé vos discussions et médias',
    ledger: 'En attente : un autre programme a verrouillé le journal des requêtes',
    bodies: 'En attente : un autre programme a verrouillé les requêtes enregistrées',
    account: 'En attente : un autre programme a verrouillé les relevés du compte',
  },
  rows_one: '{{shown}} ligne récupérée jusqu’ici',
  rows_many: '{{shown}} lignes récupérées jusqu’ici',
  rows_other: '{{shown}} lignes récupérées jusqu’ici',
  about: {
    starting: 'Inference Studio s’ouvre ici automatiquement.',
    checking:
      'Inference Studio n’a pas été fermé correctement la dernière fois, toutes les données sont donc vérifiées une fois. Il s’ouvre ici automatiquement.',
    mending:
      'Ce fichier était endommagé. Inference Studio récupère ce qu’il peut et conserve le fichier endommagé. Il s’ouvre ici automatiquement avec un compte rendu.',
    updating: 'Cela n’arrive qu’une fois. Inference Studio s’ouvre ici automatiquement.',
    waiting:
      'Un navigateur de bases de données, un programme de sauvegarde ou une autre commande utilise le fichier. Fermez-le de ce côté. Inference Studio s’ouvre ici automatiquement.',
  },
  inProgress: 'En cours',
  stopped: 'Inference Studio s’est arrêté.',
  stoppedAbout: 'La raison est affichée dans le terminal. Redémarrez-y Inference Studio et ouvrez l’adresse affichée.',
}
