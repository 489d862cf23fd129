import { behindRecipe } from './_behind-recipe.ts';

behindRecipe('caddy');
