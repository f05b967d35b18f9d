import { defineVestibuleRequest } from './vestibule-request';

defineVestibuleRequest();
