import { endpoint } from '../server/endpoint.ts';
import { HTML_TYPE } from '../server/reply.ts';
import { documentDeclaration } from '../server/representation.ts';

const DOCUMENT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>An order</title>
  </head>
  <body>
    <form method="post" action="/post">
      <p><label>Name <input name="custname" autocomplete="name"></label></p>
      <p><label>Telephone <input type="tel" name="custtel" autocomplete="tel"></label></p>
      <p><label>E-mail <input type="email" name="custemail" autocomplete="email"></label></p>
      <fieldset>
        <legend>Size</legend>
        <label><input type="radio" name="size" value="small"> Small</label>
        <label><input type="radio" name="size" value="medium" checked> Medium</label>
        <label><input type="radio" name="size" value="large"> Large</label>
      </fieldset>
      <fieldset>
        <legend>Toppings</legend>
        <label><input type="checkbox" name="topping" value="bacon"> Bacon</label>
        <label><input type="checkbox" name="topping" value="cheese"> Cheese</label>
        <label><input type="checkbox" name="topping" value="onion"> Onion</label>
        <label><input type="checkbox" name="topping" value="mushroom"> Mushroom</label>
      </fieldset>
      <p><label>Deliver at <input type="time" name="delivery" step="900"></label></p>
      <p><label>Comments <textarea name="comments" rows="3"></textarea></label></p>
      <p><button>Order</button></p>
    </form>
  </body>
</html>
`;

export const postForm = endpoint({
  ...documentDeclaration(HTML_TYPE, DOCUMENT, { description: 'The form.' }),
  path: '/forms/post',
  summary: 'An HTML form that posts to /post.',
});
