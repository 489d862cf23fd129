/**
 * The values that Go's `math/rand` mixes with each seed: 607 words of 64 bits, low half first. They were computed from
 * its output: because the generator is linear, 607 words determine the initial state.
 */
export const TABLE = new Uint32Array(
  Uint8Array.from(
    Buffer.from(
      '6v+Y6zNK98VbX5a6QUp7wA+vgcsTxV4T65VDp1z7BEqOzxB3HIPop8PBN4/o5F19qYX/Q3fPIWNh+Z9qVQbLQtLX6E' +
        'DRyCZuoPoRNB9Rp0lVUKYiSXftcVwt6l/Gn1ydaEMBSjmrvT8LNJJpWTP6cAJqps5O+xCuitG8i6m8n/esgKMuscz3' +
        'lxsr88qU15EBryzjJDQyaj8rFAEfksxCxmiA80+fhiKhIDmvJxGjsaWWncK9+aQHW4YlgSk8lypq4VJ699szpGqeyY' +
        'o7biGUg3yZW1HFqYDbaffL8+/ywwMMIf/uMeS1pvVTKZk0U8gO6dEQ3zIUai5JsdFZmWLkvVF5OHY4TJlnY66bVWHU' +
        'FQ53oNLpxJa/vfMg2mqGYk+wv5fbRhbakCF6lTIYPIdxUEuQ2hk6UDs+KIXH8qWI4zN36NAZrAvHvnLwG/hwaSUAhq' +
        'hP9hSK0fdMc9S0ePlupI6nJzFX8S94puub1QobJAAvW+kfWUnF2jktTIjy+pVhXTTvsL0rnFYe4oxQOWCLC7vSNVRw' +
        'dhXv99jx9QqQXh031H99GC2QHnnr4I98eyJ/mLvrAWIOeThx4SJ5rI6BREDT2lDF1lgGmpZyzJS4v4S9KbPjQVGFp0' +
        'bnurFWFbOcSW9o+QSQoDxph1B+bRRQDHDJWpP/2DXN2FQVqrQYmN6g2jNk/X7zTVbgsgWt6ZH1KT742wvrZxfymVJT' +
        'knIkuOtMXlqXRea6K8M7XBV46uxu6KxXU14pTgi7rU+aapCLyWNE9moIUP381hn9rIUDrZ860eGl1Oa7nAObtzOfCf' +
        'w1WgyEJCJ42c8a1UW8OE4XPk7eVJ8v+FMO77OHCvoN4WmXQ3vs2QnqEVBMzMfDnlHV4xPED5lHC+Jbzs9+4Ac/viIZ' +
        't7jQ0qVhx3zIH+oeRd3W8ffeXlDIBekcAI7Xbvu6aPRENgrM19ApRC7bMcIU0z2UkJrNHOLRwo8o9WlIZrWPFk5gb8' +
        'Xd9vqxsKvkUUEnuafO6EeW7N5hvn0YQqd2PA54SUCNd4AT5GzCRkRxkgtw5xnAW0dlF23YYB14CA7gcfXV6Q8Pn1du' +
        'iDO/Ym5H5rROUv8McYylmTiepVboJJoYg1eLfJ9UFAACBpxTCJhnVFGy7ln8uBSmmYSL/4/zIlI9OucrpvU4SEwrg4' +
        'KLUN74L2jHnxD1DD/FXPGtHNMmWGtACQVywfqWvBBScQDp+5PTNjX+BAdK+67MbptcxhlAvpIwx6+L6ol415m18Aeb' +
        'WPq4SQreGPAPg8lxThcv3YVnooC3cLS+YrEjYbemICKDxc0kve+RIyazJlC3e/vQBB+arxw90CHprrwJ+fClC44cne' +
        '18qkb5tmJ6nqfY/BQ/6LwFz8Q6xDegCKB5xUXQEnlSjohTQBd7nyiyoI/42r0CIF2v+1GER8oSqAPkilCknzI3on4N' +
        'CPK2Ar8EP8sz7TmKPmSWxxlkW9ee15L9rOhYssghaCEx6UZ7/zo96Wort/yMhbA2ZxH/5588Xq6lwhw5lcP0KnZ262' +
        '8H/cTmc+ftMfu171Cu/NtZMyR/bdsPDjRA55Nxkt3GpHMf9Y9mqRz6bktTlEEN1yBFcmrAkgUSGb0WzTDc1iwMWGtF' +
        'je8phGoNvGJcXjnpuKlOdEjhroRcghTvGDTicTq3Mh5KwChSxCdv7g+h5NLgOy5ORghg4YL0Z7sjJ3Mk6EG1EQ/Xry' +
        'p9DPl9rho5LBSW9OFUdEL6JfYOQB0Tns4QZpYGmdrMwdc0WUUiIJLatzlCQeZWVSf2kZCftL2KKGQ9a5GCoG8Gx6HQ' +
        'Up+h8Iz7bGYqZIOtY7AdmJ2MSn62WGGi32PfwuzrNv48zv9kU6Ur6+S20Rd3DZ4X0m/bRyI2t6JxuTvFENUlz+XbYV' +
        'Jzc60oD5OL638EAd2VWlq0WHNAsa0wgxBMeHZHtH8GVAfr9OggG9nAx7ZAXyfcJw97pt34LXOFyITErzcmtjH2i4NJ' +
        'hslhWH8nMO4fBt9VFKwtBSLTlemueOSGBNN6RdHOSh8iZzK4ZjUsBQeYR7mgfqdQUwKo05wW/MJ+GkIApylRsDonV/' +
        'JDn3H79+S6SL+46FfYWxxZ83FpGJTV2hRwQpytilE/GIKOzLjDQ0y335JvVrofmKzANVTFqqwHj7zLOBCIsF9zur5s' +
        'VbVD8tSf5zswnxRjdSRxH0PeqvZLwsu2V6XSTHLeacF1abwhNIF2DPSM98qfFRJKYt088T4NORsE0HPVBuitO9mL6m' +
        'nyYc14Pa+LV8mdaH86qRgzNVK+vRxQpy0AErGbjERtW7Qx8mbKZmUD5De34ulRnrjPaJscVIdGcMk3KV2jKN8otbBE' +
        'aXWy/oucTiPCQ0HCKY8GAo1Pef30feUV32jwkAUJwI2rrZit5AaklIGCsVVBP3T/1CcwRs5FCOxoESMG0znDwIZJmA' +
        'GuWg6YVjaYYcwaBT2vErK0tnrhbHBK8apwQDrelcnLRzVfVujp2bgCYjSs2x0Y6kmKQc5TKLm8p1M6b6FGJROqomIo' +
        'yUtjZsHWcaCTvM5q/5JR6mypgDJAeiRaZoGPOxhaZOTA0oBMKyKmOrpYTT2ehWPlL8uJg6K55P4SlbgMooO9DLNhsJ' +
        'HWywmfrPP4ujmIuMTR7bMD310J7YLLxJQm9mDTm4e5A8bQV2ZCgPfaWIWrMp5iG9t/yOEvhhbVOHnXAOxZJ5ZWOuPZ' +
        'kEsXL8gbBYZc0srrXTur2zWb3dBrdqiHFMqDtiZfQlP2dqBAKzxdNNb4corpZHRBeE7qPt0CL3d4UkLof5dAYh0rkt' +
        'Qa8Psp6k6LKpyVygI4UxChfMpp2XskV2NJNmsysqdcZAd8f3tn4wqlP8a42Ec5cHT9t6B54IzcoLEfI3duybdCM7YW' +
        'J4Dm1wmpOc3d7MoZW2gnFE23kY7SbJycVDoNDnn7wZERthu4vdNnfhHi9okN/JbTIutJsPusfkXVTWX1m5fhHcooXV' +
        'inbENdedkYMobi19NFFp3PPL6nL7DMnnvhp7cfgsIp2c4fKysNMWReN5Ba2L19IhEWajPLzXD4uvUlaWNecYRLJdDg' +
        'Q0eSIXd1xQ4Icdn7WA/kXhfhvK1bNsx4PZUykIN2oJWEUztqOdPAiY+miNiIHKibY4GnXHecja8/kyidUT8NxOrEfd' +
        '/H2DH+AdvWfTgDgG0DlwoiaPchBowHJwh6zKjWWWB1RvgqV+oqw/n9yTYBkRzihRMR/t0+x9+Ho6aiue15+/bF3HrR' +
        'VtXHoyhr+Qkn92rOjULwaS1VFsKSmr60u5xdHPTK9q43T5ip180QEUPTyh3Ms+UdfDzZq15ipxGDBCweqAy0HORe/L' +
        '8d5WhbOEP/ovnUcB9q01zLsCe5zOrK5BDgY0Gu3T/gHsmoUlR/DssMl1hUMWF+dUwFEAscgosIBoT5Ec9ExE1rL2Cn' +
        'tzYlf/kmodWGFzOT23KDcM2pydpRJFQHWufXBJFlKA2h5aSv5rj4y+skkCMl84AzfBMIX0JeqRgRozIeK4BAYQtkvV' +
        '8cK/HQPH6Wp7m6f+iJEANBCD66s/sb8WvTHA2tw387w1m3aNn0sr8C0gVJVnWETIP6NmIqC6jg4zqDGme4pYaN5Y/r' +
        'KIhgeRfnIVefyysD3hZ+3OUk0hKV1OBRgovmKaMIywh1SsArJZ0ySKY1+IWoGeyX95knTRDt8nbArTpEF2fkd+J9NY' +
        'lsnTy2rgd5rzVb2wTga84n2PFb2SgCv5tjs+Ele+ExriW5fZWeQukjJWh+PKtfDpUzWZ+/cTbqKiwQMjlD79Kywch/' +
        'xx7Sfg1HYo70gBJf6kKuEfPNR7cXjoP6qQ4GAeCE/MxbjFCnrGP5BD+EoKqjpdPr6KT3Sfls30H93muHInye5gdPci' +
        'TBtKZaPfINR7+4kPWZIDWYKT1llVj0kMwR0fgoq6ENVQPbNBsrXMxCeACErJQ2m7cILG75hAvVcr+Q9Qjr+HlwlHII' +
        'BYIht2xpp9U2rMlbiNThl/55tYi4bP3kBFIQgpRiATe5Fgh57zxWZRO+JnqnvSio3RQTho/7z1uuA7i3oghAMTLQHq' +
        'nI0z7sZ7igAQCH5d2TsPnB9uR4gwu87GsIjsf8b8CXUXWe+ATyNO4FZyRMJhbVgnWSxzwTRnWke+Gz4rSqXBsRP6Ne' +
        'JUMUFo49opyB0ESzKPFITSCrOfsi0WyqNo8jvxApXLqbX+AQrK6QyirkD7C2VJ3LzQ96OGSP6Ak2RwFfIFrELci4to' +
        '7taMesI/1DDZIl8mR5gYparb0lq1oBue+cvH49c+qkj+cePKQieXXRhQ7jIf6B4MU9EmFmTmd5EMGG3Pu5Grk/lxiJ' +
        'KoxtylXu1AC1tRVSbUcA1Spt6uKzaFD8hcsj3RCpXSBbd582EV6bl9fqZX10csgr553BKqqDupbVa6DTEIcloudDkx' +
        'bZ+7wCc2JrJJnN7ogCAzwtGzBLI7/sMQldCWE8mETkU+Lq+8EQiNI5btX4m3AnhXUyXgLvbbKlxjvYgTtrp1hz8ToO' +
        'dDd4IQxhkQRauntw6U7ANLIkwxLPgXTW6N8U3hIHqME9BeRlYgXNRpYj4l3+hVvtyQDKFJUw5jTAvek16qmxXKVMzx' +
        'gUrF1Yg/od53q25r/GmBWElYBq3u3TCGGmdIBHjMQBJkko+/RJuKznZZoeH2xfo6PgIPLDRH4NFqyXJ0LEFSytEVrV' +
        'vqmNrFLeLL69KQz7OBbQbkiiWFCij90f6XtQzxghSskGbeVJtvy58hm+Aufv3dAQo21waOd/Gda0nWPrhNRt6aihFl' +
        'n4gv09gKJGTGTXRAoaOmKqUrWLGCUaEb0gxhirPvqZ6hDdTk/SM2zMNmUlOW046KEr+551fmBxYGx8Pbseki9pho8I' +
        'a7qWedL+6uoqvbKsEKvz3sIMtyvbtrCEEhwrkv+9W9vE1NceJKCgkIFbP67PYH5F9nkbkR4YlIwxXKDV4zOwcaaANF' +
        'WnuvtelXl117DG0PbJdydDLGb2wiEPKrybhkW8tIbCSdJuyLFm4j3FQgnojkeWBRuu5i6LYdNvd+pdPjoHCD+vcW4d' +
        '0Ed4Dv6q+8SvgR/NQMl4B8ZxviQhlmoE37bCHc9sD5WTTpTQB0CjHgRnx+LGdmUgyfkbUlFecdcremuGQTZ5jDx1l3' +
        'rkZUp4GazaUuv3c3wLEdMHtynEvD8na6YKVHVayC0wFt7kVgpw00DI/1vQ/ANTh9aIJeOlBu2+qzpqY/gmZYp1OCDm' +
        '6Np6vgEK9MRbx760ycPBnwrOaXrcZKrbCjyFP/m21TmOZbhIvoXLB/OIzDNSBORGZ1aM9IGSERE+Lyvn5tUzQ3tdre' +
        'NuXuNEvwr46zssN5Yp+j1PMk8p04TVAAmmyBfg0weXs8838lYKCdE800NdYOXHeuH6GUStDm8QwMi+YCp7A6i7iX1V' +
        'phI8mJlpUWP81Imy7CkijYgIwz5O3KdWEXyMGJIkEFr4HHgCZUdEC8Gxs11djrceqTti9r8VZZzwo7soanHxMC/JB3' +
        'b0162dhzR4kASemXDblZfFEaajinUVQ8d0mjkybxFATG1T0Jeth8WaU1LDWYnydRYaHySDnmH1eG2MrffvY+XP8Sod' +
        'S8nlEiKdPx+2N3tGPQJ+a+nuq612q/rRYmuS2V35z3bbciGmeKI6Z8jIGeWrgpl+hfXxjRHCNIBsE0C2dnP6L96aok' +
        'zQp5h+53dNsBSfbaFH7YsErT1LMTIdk+TlnkwKPfNDpev0uibZc3Ogrzp5Mpqz5g+mbpjmYWNmTzQf48tJwETcvhzy' +
        'A1Re66BS98QgBUF94pkbr93DuOWgQCdZl2xE+6VO/ASm569Hf1huraSEg3sTLFTeXB4wew/8Dyr0il0KMEcFgnnAfQ' +
        'jCOcbTtiuacKh8RgreNtq0a7tC4nYDyR5TsHlg90MY3JjPjAXBrhGwF7QXhBtk3fBP3d7sMuhJIyiHN4z76OcWiLvw' +
        '1fTC2A9IULaFbQt2T3OqRX0UCNJThUJiWcTnaBmgKw5AAGD3o7kZfgcMA2Rhj1UXHZ/F5sBIMXV5Q9g77/LSd5pv4Q' +
        'GHjbhuZmiGKDTO53JVB9aRVLGCjetUvusap2XCdweePm/d3UdJhlV5XGP+jWKb+T/UOT5nIiL1jMdtCH5jZpx+n2bj' +
        'N+446K+kR7vXkr234tvfq54f0cG18mrKTzIpG1tSUqHkWQ50dY0K0ZF82JXKfzpTfMzbsYZz9/tmEr3D0Ua6ZppoGn' +
        'C1JLFx1ktNwK6eCv1DLFVl4eQXMRRYI6xIErvFWIPFCuOAvXf2qo9/8KQncpn8UOGwnF3MSKhBm+SwHnEKZHg5yh2g' +
        'v/xkhMdr/y+rCphe5kKqUGdcOfTzlZZM6n8oikL2SRc2FpWUIZ+ZktV3yfhfk/bZZlHEqRxDj6ID9afsEL5Rw6PTUe' +
        'mWKBaA4Hn1JCggWzjpteUMxrBZSh66+weyqilYZd6oLjiLx40E3uHX33rMllpTdDvwXnOboVd+xiXAMToKoDk=',
      'base64',
    ),
  ).buffer,
);
