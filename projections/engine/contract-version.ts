/** Version of the dossier contract, carried by every dossier. Rises when a field's meaning changes. */
export const CONTRACT_VERSION = '2.0';
